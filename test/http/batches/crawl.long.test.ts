/** All tests of crawl.test.ts; crawls of whole generated sites, with their traps, and of one whose workers are killed. */

import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import "./crawl.test.ts";
import { fileScope } from "../../support/scope.ts";
import { type Json, startService, type TestService } from "../../support/service.ts";
import { startWorker } from "../../support/worker.ts";
import { blogSite, docsSite, type GeneratedSite, shopSite } from "./generated-sites.ts";

const scope = fileScope();
const sites = { docs: await docsSite(scope), blog: await blogSite(scope), shop: await shopSite(scope) };
const settings = {
  EGRESS_ALLOWED_HOSTS: Object.values(sites)
    .map(({ host }) => host)
    .join(","),
  JOB_PAUSE_PER_HOST_MS: "0",
};
const shared = { width: 200, height: 100, format: "text", wait_until: ["domcontentloaded"], timeout: 60 };
const timeout = 40 * 60_000;

async function untilEnded(service: TestService, key: string, id: string, meanwhile: () => Promise<void> = () => pause(500)): Promise<Json> {
  for (;;) {
    const { json } = await service.send("GET", `/v1/batches/${id}`, key);
    if (json.status === "done") return json;
    await meanwhile();
  }
}

/** Paths with queries, as the pages were shown, of all captures of a batch that are done. */
async function capturedPaths(service: TestService, id: string, { origin }: GeneratedSite): Promise<string[]> {
  const { rows } = await service.pool.query(
    `select s.final_url as url from captures c join screenshots s on s.capture_id = c.id
      where c.batch_id = $1 and c.status = 'done' and s.status = 'done' and s.object_key is not null`,
    [id],
  );
  return rows.map(({ url }) => url.replace(origin, ""));
}

function report(t: TestContext, { total, counts, crawl }: Json, paths: string[], site: GeneratedSite): void {
  const own = paths.filter((path) => site.pages.includes(path));
  t.diagnostic(`${site.pages.length} pages, ${own.length} of them captured, and ${paths.length - own.length} that the site generates`);
  t.diagnostic(`total ${total}, ${JSON.stringify(counts)}, depth ${crawl.deepest}, ${site.requests.length} page requests`);
  for (const { reason, count, examples } of crawl.left_out) t.diagnostic(`left out: ${count} ${reason}, such as ${examples[0]}`);
}

/** What holds for any crawl. */
async function assertKept(service: TestService, state: Json, paths: string[], site: GeneratedSite, userId: string): Promise<void> {
  assert.deepEqual(
    site.requests.filter((path) => site.disallowed.test(path)),
    [],
    "robots.txt is obeyed",
  );
  assert.equal(new Set(paths).size, paths.length, "no page is captured twice");
  assert.deepEqual([state.counts.done, state.total], [paths.length, paths.length]);
  assert.equal(await service.used(userId), paths.length, "each page is charged once, and duplicates cost nothing");
  const { rows } = await service.pool.query("select status, count(*)::int from screenshots where user_id = $1 group by 1", [userId]);
  assert.deepEqual(rows, [{ status: "done", count: paths.length }]);
}

const reasons = (state: Json) => state.crawl.left_out.map(({ reason }: Json) => reason).sort();
const missing = (site: GeneratedSite, paths: string[]) => site.pages.filter((page) => !paths.includes(page));

async function crawl(service: TestService, site: GeneratedSite, options: object) {
  const { key, userId } = await service.createAccount({ quota: 5_000 });
  const { status, json } = await service.send("POST", "/v1/batches", key, { shared, crawl: { url: `${site.origin}/`, ...options } });
  assert.equal(status, 202, JSON.stringify(json));
  return { key, userId, id: json.id as string };
}

test("documentation of 321 pages: complete, with one version of each page, and little of its wrong links", { timeout }, async (t) => {
  const service = await startService(t, settings);
  const site = sites.docs;
  const { key, userId, id } = await crawl(service, site, { depth: 5, limit: 1_000 });
  const state = await untilEnded(service, key, id);
  const paths = await capturedPaths(service, id, site);
  report(t, state, paths, site);
  await assertKept(service, state, paths, site, userId);
  assert.deepEqual(missing(site, paths), []);
  assert.ok(paths.every((path) => site.pages.includes(path) || /^\/(latest|v1)\/section-\d+\/wrong\/(wrong\/)?$/.test(path)));
  assert.equal(new Set(site.requests).size, site.requests.length, "no address is requested twice");
  assert.deepEqual(reasons(state), ["duplicate", "not_a_page", "other_site", "robots", "trap"]);
});

test("a blog of 276 pages: complete, and at most fifty of each kind of page of its endless calendar", { timeout }, async (t) => {
  const service = await startService(t, settings);
  const site = sites.blog;
  const { key, userId, id } = await crawl(service, site, { depth: 5, limit: 1_000 });
  const state = await untilEnded(service, key, id);
  const paths = await capturedPaths(service, id, site);
  report(t, state, paths, site);
  await assertKept(service, state, paths, site, userId);
  assert.deepEqual(missing(site, paths), []);
  const generated = paths.filter((path) => !site.pages.includes(path));
  assert.ok(generated.every((path) => path.startsWith("/calendar/")) && generated.length <= 100, `${generated.length}`);
  assert.deepEqual(reasons(state), ["depth", "nofollow", "not_a_page", "robots", "trap"]);
});

test("a shop of 2,041 pages: as many as the limit allows, each once, despite filters, sessions and short links", { timeout }, async (t) => {
  const service = await startService(t, settings);
  const site = sites.shop;
  const { key, userId, id } = await crawl(service, site, { depth: 5, limit: 1_000 });
  const state = await untilEnded(service, key, id);
  const paths = await capturedPaths(service, id, site);
  report(t, state, paths, site);
  const plain = paths.map((path) => path.replace(/\?ref=.*/, ""));
  await assertKept(service, state, plain, site, userId);
  assert.ok(plain.every((path) => site.pages.includes(path)));
  assert.ok(site.requests.length <= 1_000 * 2, "with the requests of redirects");
  assert.ok(reasons(state).includes("limit") && reasons(state).includes("duplicate"));
});

test("a crawl whose workers are killed with SIGKILL is complete, and nothing is captured or charged twice", { timeout }, async (t) => {
  const site = await docsSite(t);
  const api = await startService(t, { EGRESS_ALLOWED_HOSTS: site.host, JOB_PAUSE_PER_HOST_MS: "0", ROLE: "api" });
  const { key, userId, id } = await crawl(api, site, { depth: 5, limit: 1_000, exclude: ["*/wrong/*", "/v1/*"] });
  let kills = 0;
  let worker = await startWorker(t, api.env);
  let ended = 0;
  const state = await untilEnded(api, key, id, async () => {
    await pause(500);
    const { json } = await api.send("GET", `/v1/batches/${id}`, key);
    // In the middle of pages that are being captured, a few times.
    if (kills >= 4 || json.counts.done < ended + 40 || json.counts.running === 0) return;
    ended = json.counts.done;
    worker.child.kill("SIGKILL");
    kills += 1;
    worker = await startWorker(t, api.env);
  });
  const paths = await capturedPaths(api, id, site);
  report(t, state, paths, site);
  t.diagnostic(`${kills} workers were killed`);
  assert.ok(kills >= 3);
  await assertKept(api, state, paths, site, userId);
  assert.deepEqual(missing(site, paths), []);
  assert.equal(paths.length, site.pages.length);
});
