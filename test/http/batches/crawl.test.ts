/** `crawl`: a batch that follows the links of its pages, within the site, its robots.txt and the limits. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { similarNames } from "../../../src/screenshots/crawl/crawl-records.ts";
import { eventually } from "../../support/eventually.ts";
import { longOnly } from "../../support/long-only.ts";
import { fileScope } from "../../support/scope.ts";
import { type Json, startService } from "../../support/service.ts";
import { createSite, type Page } from "../../support/site.ts";

const longTest = longOnly(test);
const scope = fileScope();
const [site, other] = [await createSite(scope), await createSite(scope, { "/": "elsewhere" })];
const service = await startService(scope, {
  EGRESS_ALLOWED_HOSTS: `${site.host},${other.host}`,
  JOB_PAUSE_PER_HOST_MS: "0",
  MAX_CONCURRENT_JOBS: "2",
});
const shared = { width: 200, height: 100, format: "jpeg" };
const page = (links: string[], head = "") =>
  `<!doctype html><title>page</title>${head}<body>${links.map((href) => `<a href="${href}">${"link "}</a>`).join("")}`;

/** Serves pages below a path of their own, so that tests don't meet. */
function serve(folder: string, pages: Record<string, Page>): string {
  site.serve(Object.fromEntries(Object.entries(pages).map(([path, body]) => [folder + path, body])));
  return `${site.origin}${folder}/`;
}

async function submit(crawl: object, account: { key: string }, more: object = {}): Promise<{ status: number; json: Json }> {
  return await service.send("POST", "/v1/batches", account.key, { shared, crawl, ...more });
}

async function ended(key: string, id: string): Promise<Json> {
  let state: Json;
  await eventually(
    "the crawl has ended",
    async () => {
      state = (await service.send("GET", `/v1/batches/${id}`, key)).json;
      return state.status === "done";
    },
    60_000,
  );
  return state;
}

async function pagesOf(id: string): Promise<{ path: string; depth: number; status: string; position: number }[]> {
  const { rows } = await service.pool.query(
    `select c.depth, c.status, c.position, s.url from captures c join screenshots s on s.capture_id = c.id
      where c.batch_id = $1 order by c.position`,
    [id],
  );
  return rows.map(({ url, ...row }) => ({ path: url.replace(site.origin, ""), ...row }));
}

const countsOf = (state: Json): Record<string, number> =>
  Object.fromEntries(state.crawl.left_out.map(({ reason, count }: Json) => [reason, count]));
const examplesOf = (state: Json, reason: string): string[] =>
  state.crawl.left_out.find((one: Json) => one.reason === reason)?.examples.map((one: string) => one.replace(site.origin, ""));

test("a crawl captures the pages of its site once, breadth first, and says what it left out", async () => {
  site.serve({ "/robots.txt": "User-agent: *\nDisallow: /all/private\nAllow: /all/private/open" });
  const url = serve("/all", {
    "/": page([
      "one",
      "two#part",
      "two",
      "/all/?utm_source=x",
      "private/a",
      "private/open",
      `${other.origin}/`,
      "file.pdf",
      "mailto:a@b.c",
    ]),
    "/one": page(["/all/", "deep/1", "two?b=2&a=1", "two?a=1&b=2", "x/y/x/y/x/y"]),
    "/two": page([]),
    "/private/open": page(["print/1"], '<meta name="robots" content="noindex, nofollow">'),
    "/deep/1": page(["2"]),
    "/deep/2": page(["3"]),
  });
  const account = await service.createAccount({ quota: 20 });
  const { status, json } = await submit({ url, depth: 2, limit: 20, exclude: ["*print*"] }, account);
  assert.deepEqual([status, json.total, json.crawl.left_out], [202, 1, []], JSON.stringify(json));
  const state = await ended(account.key, json.id);
  assert.deepEqual(
    (await pagesOf(json.id)).map(({ path, depth }) => `${depth} ${path}`),
    ["0 /all/", "1 /all/one", "1 /all/two", "1 /all/private/open", "2 /all/deep/1", "2 /all/two?b=2&a=1"],
  );
  assert.deepEqual([state.total, state.counts.done, state.crawl.deepest], [6, 6, 2]);
  assert.deepEqual(countsOf(state), { robots: 1, other_site: 1, not_a_page: 1, trap: 1, nofollow: 1, depth: 1 });
  assert.deepEqual(examplesOf(state, "depth"), ["/all/deep/2"]);
  assert.deepEqual(examplesOf(state, "robots"), ["/all/private/a"]);
  assert.equal(await service.used(account.userId), 6);
  for (const path of ["/all/", "/all/one", "/all/deep/1"])
    assert.equal(site.requests.filter((one) => one.path === path).length, 1, `${path} is loaded once`);
  assert.match(site.requests.find((one) => one.path === "/robots.txt")?.headers["user-agent"] ?? "", /^Tintype\//);
  const results = await fetch(`${service.origin}/v1/batches/${json.id}/results`, { headers: { "x-api-key": account.key } });
  const lines = (await results.text()).trim().split("\n");
  assert.deepEqual(
    lines
      .map((line) => JSON.parse(line).batch)
      .sort((one, two) => one.index - two.index)
      .map(({ index, depth }) => `${index} ${depth}`),
    ["0 0", "1 1", "2 1", "3 1", "4 2", "5 2"],
  );
  const { rows } = await service.pool.query("select 1 from crawl_addresses where batch_id = $1", [json.id]);
  assert.equal(rows.length, 0, "addresses are forgotten at the end");
});

longTest(
  "canonical addresses and targets of redirects are captured once, duplicates cost nothing, and their links are followed",
  async () => {
    const canonical = (path: string) => `<link rel="canonical" href="${path}">`;
    const url = serve("/canonical", {
      "/": page(["red?view=1", "red?view=2", "moved", "away", "alone"]),
      "/red": ({ url: path = "" }, response) =>
        void response.setHeader("content-type", "text/html").end(page([path.replace(/.*=/, "more-")], canonical("/canonical/red"))),
      "/more-1": page([]),
      "/more-2": page([]),
      "/alone": page([]),
      "/moved": (_request, response) => void response.writeHead(302, { location: "/canonical/alone" }).end(),
      "/away": (_request, response) => void response.writeHead(302, { location: `${other.origin}/` }).end(),
    });
    const account = await service.createAccount({ quota: 20 });
    const { json } = await submit({ url }, account);
    const state = await ended(account.key, json.id);
    const paths = (await pagesOf(json.id)).map(({ path }) => path);
    assert.equal(paths.filter((path) => path.startsWith("/canonical/red")).length, 1, paths.join(" "));
    assert.equal(paths.filter((path) => /alone|moved/.test(path)).length, 1, paths.join(" "));
    assert.ok(paths.includes("/canonical/more-1") && paths.includes("/canonical/more-2"), "one of them is linked only by the duplicate");
    assert.ok(!paths.includes("/canonical/away"));
    assert.deepEqual([state.total, state.counts.done], [5, 5]);
    assert.deepEqual(countsOf(state), { duplicate: 2, other_site: 1 });
    assert.equal(await service.used(account.userId), 5);
    const { rows } = await service.pool.query("select status, count(*)::int from screenshots where user_id = $1 group by 1", [
      account.userId,
    ]);
    assert.deepEqual(rows, [{ status: "done", count: 5 }], "nothing is left of duplicates");
  },
);

longTest("the greatest depth is that of pages that the crawl has, not of duplicates that it removed", async () => {
  const url = serve("/deepest", {
    "/": page(["one"]),
    "/one": page(["two"]),
    "/two": page([], '<link rel="canonical" href="/deepest/one">'),
  });
  const account = await service.createAccount();
  const { json } = await submit({ url }, account);
  const { total, crawl } = await ended(account.key, json.id);
  assert.deepEqual([total, crawl.deepest, crawl.left_out[0].reason], [2, 1, "duplicate"]);
});

longTest("names are unique in a crawl, and only those that could be the same are read for a page", async () => {
  const url = serve("/names", {
    "/": page(["a", "Other"]),
    "/a": page(["A", "a?x=2", "other"]),
    "/A": page([]),
    "/Other": page([]),
    "/other": page([]),
  });
  const account = await service.createAccount();
  const { json } = await submit({ url }, account);
  const { total } = await ended(account.key, json.id);
  const { rows } = await service.pool.query("select name from captures where batch_id = $1", [json.id]);
  const names = rows.map(({ name }): string => name.replace(/.*-names/, "").toLowerCase()).sort();
  assert.deepEqual(names, ["", "-a", "-a-2", "-a-3", "-other", "-other-2"]);
  assert.equal(total, names.length);
  const [{ name }] = rows;
  const similar = await similarNames(service.database, json.id, [name.replace(/-names.*/, "-names-other")]);
  assert.deepEqual(
    similar.map((one) => one.toLowerCase()).sort(),
    rows
      .map((row) => row.name.toLowerCase())
      .filter((one) => one.includes("other"))
      .sort(),
  );
});

test("the limit, the quota, and the number of similar addresses end a crawl, each by name", async () => {
  const many = Array.from({ length: 80 }, (_, index) => index);
  const url = serve("/many", {
    "/": page([...many.map((index) => `page-${index}`), "calendar/2026/1"]),
    ...Object.fromEntries(many.map((index) => [`/page-${index}`, page([])])),
  });
  const limited = await service.createAccount({ quota: 100 });
  const first = await submit({ url, limit: 4 }, limited);
  const state = await ended(limited.key, first.json.id);
  assert.deepEqual([state.total, countsOf(state)], [4, { limit: 78 }]);
  const poor = await service.createAccount({ quota: 3 });
  const second = await submit({ url, limit: 50 }, poor);
  const end = await ended(poor.key, second.json.id);
  assert.deepEqual([end.total, countsOf(end)], [3, { quota: 79 }]);
  assert.equal(await service.used(poor.userId), 3);
  const calendar = serve("/calendar", { "/": page(many.map((index) => `${2000 + index}/5/3`)) });
  site.serve(Object.fromEntries(many.map((index) => [`/calendar/${2000 + index}/5/3`, "day"])));
  const { json } = await submit({ url: calendar, limit: 100, depth: 1 }, limited);
  await eventually("its pages are queued", async () => (await service.send("GET", `/v1/batches/${json.id}`, limited.key)).json.total > 1);
  const { json: canceled } = await service.send("DELETE", `/v1/batches/${json.id}`, limited.key);
  assert.deepEqual([canceled.total, countsOf(canceled)], [51, { trap: 30 }]);
});

test("a canceled crawl doesn't grow: its running pages are finished, and their links are not followed", async () => {
  const opened = Promise.withResolvers<void>();
  let isRequested = false;
  const url = serve("/cancel", {
    "/": async (_request, response) => {
      isRequested = true;
      await opened.promise;
      response.setHeader("content-type", "text/html").end(page(["never"]));
    },
    "/never": page([]),
  });
  const account = await service.createAccount();
  const { json } = await submit({ url }, account);
  await eventually("the first page is loading", () => isRequested);
  const { json: state } = await service.send("DELETE", `/v1/batches/${json.id}`, account.key);
  assert.equal(state.status, "running");
  opened.resolve();
  const end = await ended(account.key, json.id);
  assert.deepEqual([end.total, end.counts.done, end.crawl.left_out], [1, 1, []]);
});

test("a crawl is refused if it can't begin: wrong members, a forbidden page, a site without a readable robots.txt, a private address", async () => {
  const account = await service.createAccount();
  const url = `${site.origin}/all/`;
  const problemOf = async (crawl: object, more: object = {}) => {
    const { status, json } = await submit(crawl, account, more);
    assert.deepEqual([status, json.code], [400, "invalid_parameters"], JSON.stringify(json));
    return json.message as string;
  };
  assert.match(await problemOf({ url, depth: 6 }), /^crawl\.depth must be an integer from 1 to 5, not 6/);
  assert.match(await problemOf({ url, limit: 1_001 }), /^crawl\.limit must be an integer from 1 to 1000/);
  assert.match(await problemOf({ url: "ftp://a.example/" }), /^crawl\.url has the scheme ftp/);
  assert.match(await problemOf({ url, include: ["docs"] }), /^crawl\.include\[0\] must be a path and query pattern/);
  assert.match(await problemOf({ url, exclude: Array(21).fill("/a") }), /^crawl\.exclude must have at most 20 items/);
  assert.match(await problemOf({ url, include: [`/${"a".repeat(200)}`] }), /^crawl\.include\[0\] must have at most 200 characters/);
  assert.match(await problemOf({ url, pages: 1 }), /^crawl\.pages is not a known field/);
  assert.match(await problemOf({ url }, { captures: [{ url }], limit: 4 }), /captures can't be combined with crawl.*limit can't be/);
  assert.match(await problemOf({ url }, { shared: { is_cached: true } }), /^shared\.is_cached can't be used with crawl/);
  assert.match(await problemOf({ url }, { shared: { width: 0 } }), /^shared\.width must be/);
  const outputs = Array.from({ length: 6 }, (_, index) => ({ width: 200 + index }));
  assert.match(await problemOf({ url, limit: 1_000 }, { shared: { outputs } }), /6000 outputs in total/);
  assert.match(
    await problemOf({ url: `${site.origin}/all/private/a` }),
    /^crawl\.url can't be crawled: its site's robots\.txt disallows it/,
  );
  other.serve({ "/robots.txt": (_request, response) => void response.writeHead(503).end() });
  assert.match(await problemOf({ url: other.origin }), /^crawl\.url can't be crawled: its robots\.txt responds with status 503/);
  other.serve({ "/robots.txt": (_request, response) => void response.writeHead(302, { location: "http://169.254.169.254/" }).end() });
  assert.match(await problemOf({ url: other.origin }), /robots\.txt resolves to an address or port that is not allowed/);
  assert.match(await problemOf({ url: "http://127.0.0.1:1/" }), /robots\.txt resolves to an address or port that is not allowed/);
  assert.equal(await service.used(account.userId), 0);
});
