/** The playground, an account's screenshot history, and the usage of its keys. */

import assert from "node:assert/strict";
import { before, test } from "node:test";
import { eventually } from "../../support/eventually.ts";
import { describeImage, pixelAt } from "../../support/image.ts";
import { fileScope } from "../../support/scope.ts";
import type { TestService } from "../../support/service.ts";
import { closedPage, colouredPage, createSite, type Site } from "../../support/site.ts";
import { createVisitor, type Person, signedUp, startWithVisitors, type Visitor } from "../../support/visitor.ts";

const scope = fileScope();
interface History {
  screenshots: { id: string }[];
  next_cursor: string | null;
}

let site: Site;
let service: TestService;

before(async () => {
  site = await createSite(scope, { "/red": colouredPage("#ff0000"), "/blue": colouredPage("#0000ff") });
  service = await startWithVisitors(scope, { ROLE: "all", EGRESS_ALLOWED_HOSTS: site.host, MAX_CONCURRENT_JOBS: "1" });
});

function play(person: Visitor, path: string, options: Record<string, string> = {}) {
  const query = new URLSearchParams({ url: `${site.origin}${path}`, width: "30", height: "20", format: "png", ...options });
  return person.post(`/v1/account/playground?${query}`);
}

async function usageOf(person: Person, filter = "") {
  await service.services.usage.flush();
  return (await person.get(`/v1/account/usage${filter}`)).body;
}

test("the playground takes a screenshot with only a session, and responds like the take operation", async () => {
  const person = await signedUp(service);
  const { status, headers, body } = await play(person, "/red");
  assert.equal(status, 200);
  assert.deepEqual(describeImage(body), { type: "png", width: 30, height: 20 });
  assert.equal(pixelAt(body, 10, 10), "#ff0000");
  for (const name of ["x-cache", "x-target-status", "x-target-url", "server-timing", "x-ratelimit-remaining", "x-request-id"])
    assert.ok(headers.get(name), name);
  assert.equal(headers.get("cache-control"), "no-store");
  assert.equal((await person.get("/v1/account")).body.month.used, 1);
  const nobody = await play(createVisitor(service), "/red");
  assert.deepEqual([nobody.status, nobody.body.code], [401, "not_signed_in"]);
  const wrong = await play(person, "/red", { width: "abc" });
  assert.deepEqual([wrong.status, wrong.body.details[0].parameter], [400, "width"]);
});

test("the playground is subject to the account's limits: monthly quota and requests per minute", async () => {
  const person = await signedUp(service);
  await service.pool.query("update usage_periods set used = 0 where user_id = $1", [person.userId]);
  await play(person, "/red");
  await service.pool.query("update usage_periods set used = 100 where user_id = $1", [person.userId]);
  const over = await play(person, "/red");
  assert.deepEqual([over.status, over.body.code], [403, "quota_exceeded"]);
  const statuses = [];
  for (let turn = 0; turn < 9; turn++) statuses.push((await play(person, "/red")).status);
  assert.deepEqual(statuses, [...Array(8).fill(403), 429], "the plan allows ten requests a minute, including refused ones");
});

test("the queued captures of a batch that was created with a session end when the account is disabled or deleted", async () => {
  for (const [column, path] of [
    ["disabled_at", "/held-1"],
    ["deleted_at", "/held-2"],
  ] as const) {
    const person = await signedUp(service);
    const held = closedPage(site, path);
    const captures = [{ url: site.origin + path }, { url: `${site.origin}/red` }, { url: `${site.origin}/blue` }];
    const { body } = await person.post("/v1/account/batches", { shared: { width: 30, height: 20 }, captures });
    await eventually("the first capture is running", held.requested);
    await service.pool.query(`update users set ${column} = now() where id = $1`, [person.userId]);
    held.open();
    const statuses = "select status from captures where batch_id = $1 order by position";
    let rows: { status: string }[] = [];
    await eventually("all captures have ended", async () => {
      ({ rows } = await service.pool.query(statuses, [body.id]));
      return rows.every(({ status }) => /done|failed/.test(status));
    });
    assert.deepEqual(
      rows.slice(1).map(({ status }) => status),
      ["failed", "failed"],
      column,
    );
  }
});

test("a batch is created and read with only a session, and charged to the account", async () => {
  const person = await signedUp(service);
  const shared = { width: 30, height: 20, format: "png" };
  const { status, headers, body } = await person.post("/v1/account/batches", {
    shared,
    captures: [{ url: `${site.origin}/red`, name: "first" }, { url: `${site.origin}/red` }],
  });
  assert.deepEqual([status, body.total, headers.get("location")], [202, 2, `/v1/account/batches/${body.id}`], JSON.stringify(body));
  await eventually("the batch is done", async () => (await person.get(`/v1/account/batches/${body.id}`)).body.batch.status === "done");
  const { captures } = (await person.get(`/v1/account/batches/${body.id}/captures`)).body;
  assert.deepEqual(
    captures.map((capture: { name: string; status: string }) => [capture.name, capture.status]),
    [
      ["first", "done"],
      [`${site.host.replace(":", "-")}-red`, "done"],
    ],
  );
  assert.equal(captures[0].screenshot.key_id, null);
  assert.equal((await person.get("/v1/account")).body.month.used, 2);
  const nobody = await createVisitor(service).post("/v1/account/batches", { captures: [{ url: `${site.origin}/red` }] });
  assert.deepEqual([nobody.status, nobody.body.code], [401, "not_signed_in"]);
  const wrong = await person.post("/v1/account/batches", { captures: [{ url: "ftp://example.com" }] });
  assert.deepEqual([wrong.status, wrong.body.details[0].parameter], [400, "captures[0].url"]);
});

test("the playground captures several outputs with only a session; this costs one screenshot and counts as one request without a key", async () => {
  const person = await signedUp(service);
  const path = "/v1/account/playground/captures";
  const body = { url: `${site.origin}/red`, width: 30, height: 20, format: "png", outputs: [{ name: "a" }, { name: "b", width: 40 }] };
  const { status, headers, body: capture } = await person.post(path, body);
  assert.equal(status, 200, JSON.stringify(capture));
  assert.deepEqual([capture.loads, headers.get("x-ratelimit-remaining"), headers.get("cache-control")], [1, "9", "no-store"]);
  for (const [index, width] of [30, 40].entries()) {
    const file = await fetch(capture.outputs[index].url);
    assert.deepEqual(describeImage(new Uint8Array(await file.arrayBuffer())), { type: "png", width, height: 20 });
  }
  assert.equal((await person.get("/v1/account")).body.month.used, 1);
  const { rows } = await service.pool.query("select key_id, output from screenshots where capture_id = $1 order by output", [capture.id]);
  assert.deepEqual(rows, [
    { key_id: null, output: "a" },
    { key_id: null, output: "b" },
  ]);
  const wrong = await person.post(path, { ...body, outputs: [{}, { width: "abc" }] });
  assert.deepEqual([wrong.status, wrong.body.details[0].parameter], [400, "outputs[1].width"]);
  const signedOut = await createVisitor(service).post(path, body);
  assert.deepEqual([signedOut.status, signedOut.body.code], [401, "not_signed_in"]);
  await service.pool.query("update usage_periods set used = 100 where user_id = $1", [person.userId]);
  const over = await person.post(path, body);
  assert.deepEqual([over.status, over.body.code], [403, "quota_exceeded"]);
  const statuses = [];
  for (let turn = 0; turn < 8; turn++) statuses.push((await person.post(path, body)).status);
  assert.deepEqual(statuses, [...Array(7).fill(403), 429], "the plan allows ten requests a minute, including refused ones");
});

test("the history has every detail of a screenshot, and its image", async () => {
  const person = await signedUp(service);
  const { key, secret } = (await person.post("/v1/account/keys", { name: "site" })).body;
  const taken = await service.take({
    api_key: secret,
    url: `${site.origin}/blue`,
    width: "30",
    height: "20",
    format: "png",
    response_type: "json",
    headers: "X-Private: geheim",
  });
  const { id } = await taken.json();
  const { screenshots, next_cursor } = (await person.get("/v1/account/screenshots")).body;
  const { duration_ms, created_at, expires_at, bytes, ...rest } = screenshots[0];
  assert.deepEqual(rest, {
    id,
    url: `${site.origin}/blue`,
    title: "#0000ff",
    status: "done",
    key_id: key.id,
    key_name: "site",
    key_hint: key.hint,
    format: "png",
    width: 30,
    height: 20,
    image: `/v1/account/screenshots/${id}/image`,
    verdict: "unknown",
    verdict_reason: "The page has hardly any text and no images, and doesn't match any known wall or error.",
    error: null,
    error_message: null,
    capture_id: null,
    output: null,
    copies: [],
  });
  assert.ok(duration_ms > 0 && bytes > 0 && Date.parse(expires_at) - Date.parse(created_at) > 6 * 86_400_000);
  assert.equal(next_cursor, null);
  const one = (await person.get(`/v1/account/screenshots/${id}`)).body.screenshot;
  assert.deepEqual([one.options.width, one.options.headers], [30, "given"]);
  assert.ok(!JSON.stringify(one).includes("geheim"));

  const image = await person.get(one.image);
  assert.equal(pixelAt(image.body, 10, 10), "#0000ff");
  assert.equal(image.headers.get("content-type"), "image/png");
  assert.equal(image.headers.get("cache-control"), "private, no-cache");
  const etag = image.headers.get("etag") ?? "";
  assert.equal((await person.ask("GET", one.image, undefined, { "if-none-match": etag })).status, 304);
  assert.equal((await person.get(`${one.image}?download=true`)).headers.get("content-disposition"), `attachment; filename="${id}.png"`);
  await service.pool.query("update screenshots set bytes = bytes + 1 where id = $1", [id]);
  assert.equal((await person.get(one.image)).status, 503, "its file is cut");
});

test("a screenshot's record includes the target's status, final URL, warnings and timings, even without explain", async () => {
  site.serve({
    "/moved": (_request, response) => response.writeHead(302, { location: "/gone" }).end(),
    "/gone": (_request, response) => response.writeHead(404, { "content-type": "text/html" }).end("<h1>Nothing here</h1>"),
  });
  const person = await signedUp(service);
  const { secret } = (await person.post("/v1/account/keys", { name: "site" })).body;
  const taken = await service.take({ api_key: secret, url: `${site.origin}/moved`, styles: "nonsense", response_type: "json" });
  const { id } = await taken.json();
  const { screenshot } = (await person.get(`/v1/account/screenshots/${id}`)).body;
  assert.deepEqual(
    [screenshot.target_status, screenshot.final_url, screenshot.warnings, screenshot.explanation],
    [404, `${site.origin}/gone`, ["styles contains no valid CSS rule"], null],
  );
  const { queue, navigate, wait, shoot } = screenshot.timings;
  for (const ms of [queue, navigate, wait, shoot]) assert.ok(Number.isInteger(ms) && ms >= 0, `${ms}`);
  assert.ok(queue + navigate + wait + shoot <= screenshot.duration_ms + 10);
});

test("the history shows each screenshot's verdict, and can be filtered by it", async () => {
  const person = await signedUp(service);
  site.serve({ "/gone": (_, response) => response.writeHead(404, { "content-type": "text/html" }).end("<h1>Not here</h1>") });
  for (const path of ["/red", "/gone"]) await play(person, path, { response_type: "empty" }); // responds once the record is written
  const [gone, ...others] = (await person.get("/v1/account/screenshots?verdict=error_page")).body.screenshots;
  assert.deepEqual([gone.url, gone.verdict, others], [`${site.origin}/gone`, "error_page", []]);
  assert.equal(gone.verdict_reason, "The target returned status 404 Not Found.");
  assert.equal((await person.get("/v1/account/screenshots?verdict=unknown")).body.screenshots[0].url, `${site.origin}/red`);
});

test("the history lists a failed capture with its reason, free of charge", async () => {
  const person = await signedUp(service);
  await play(person, "/red", { selector: "#nowhere" });
  const [one] = (await person.get("/v1/account/screenshots?status=failed")).body.screenshots;
  assert.deepEqual([one.status, one.error, one.image, one.format], ["failed", "selector_not_found", null, null]);
  assert.match(one.error_message, /selector/);
  assert.equal((await person.get(`/v1/account/screenshots/${one.id}/image`)).status, 404);
  assert.equal((await person.get("/v1/account")).body.month.used, 0);
});

test("paging through the history neither skips nor repeats entries, even while screenshots are taken", async () => {
  const person = await signedUp(service);
  const made = await fillHistory(person, 7);
  const seen: string[] = [];
  let cursor: string | null = "";
  while (cursor !== null) {
    const { screenshots, next_cursor }: History = (await person.get(`/v1/account/screenshots?limit=3${cursor ? `&cursor=${cursor}` : ""}`))
      .body;
    seen.push(...screenshots.map(({ id }) => id));
    cursor = next_cursor;
    await fillHistory(person, 1);
  }
  assert.deepEqual(seen, made.toReversed());
});

test("the history can be filtered by each of its fields", async () => {
  const person = await signedUp(service);
  const { key } = (await person.post("/v1/account/keys", { name: "site" })).body;
  const [third = ""] = await fillHistory(person, 1, "2026-02-28T23:59:59.9Z");
  const [first = "", second = ""] = await fillHistory(person, 2);
  await service.pool.query(
    "update screenshots set url = 'https://Example.com/A%25_b', title = 'Opening Hours', key_id = $2 where id = $1",
    [first, key.id],
  );
  await service.pool.query("update screenshots set status = 'failed', error = 'tls_error' where id = $1", [second]);
  await service.pool.query("update screenshots set format = 'webp' where id = $1", [third]);
  const rows: [filter: string, found: string[]][] = [
    ["url=example.COM", [first]],
    ["url=%2525_", [first]],
    ["text=example.com", [first]],
    ["text=opening+hours", [first]],
    ["url=opening+hours", []],
    [`key_id=${key.id}`, [first]],
    ["key_id=playground", [second, third]],
    ["status=failed", [second]],
    ["format=webp", [third]],
    ["until=2026-02-28", [third]],
    ["since=2026-02-28&until=2026-02-28", [third]],
    ["since=2026-03-01", [second, first]],
    ["until=2026-02-27", []],
  ];
  for (const [filter, found] of rows) {
    const { screenshots } = (await person.get(`/v1/account/screenshots?${filter}`)).body;
    assert.deepEqual(
      screenshots.map(({ id }: { id: string }) => id),
      found,
      filter,
    );
    const counted = (await person.get(`/v1/account/screenshots/count?${filter}`)).body;
    assert.deepEqual(counted, { count: found.length, is_complete: true }, filter);
  }
  const wrong: [filter: string, parameter: string][] = [
    ["limit=101", "limit"],
    ["limit=many", "limit"],
    ["status=lost", "status"],
    ["cursor=1", "cursor"],
    ["key_id=mine", "key_id"],
    ["since=yesterday", "since"],
    ["since=2026-02-30", "since"],
    ["since=0000-01-01", "since"],
    ["colour=red", "colour"],
  ];
  for (const [filter, parameter] of wrong) {
    const { status, body } = await person.get(`/v1/account/screenshots?${filter}`);
    assert.deepEqual([status, body.details?.[0]?.parameter], [400, parameter], filter);
  }
});

test("a screenshot links to its neighbors in the history, filtered or not", async () => {
  const person = await signedUp(service);
  const [first = "", second = "", third = "", fourth = ""] = await fillHistory(person, 4);
  await service.pool.query("update screenshots set status = 'failed' where id = $1", [third]);
  const neighborsOf = async (id: string, filter = "") => {
    const { newer_id, older_id } = (await person.get(`/v1/account/screenshots/${id}${filter}`)).body.screenshot;
    return [newer_id, older_id];
  };
  assert.deepEqual(await neighborsOf(second), [third, first]);
  assert.deepEqual(await neighborsOf(second, "?status=done"), [fourth, first]);
  assert.deepEqual(await neighborsOf(fourth), [null, third]);
  assert.deepEqual(await neighborsOf(first), [second, null]);
});

test("the history has the page's title and a link to the image that works without a session", async () => {
  const person = await signedUp(service);
  site.serve({ "/titled": "<!doctype html><title> Opening hours </title><p>nine to five" });
  const { body } = await play(person, "/titled", { response_type: "json" });
  const { screenshot } = (await person.get(`/v1/account/screenshots/${body.id}`)).body;
  assert.equal(screenshot.title, "Opening hours");
  assert.equal((await fetch(screenshot.link)).status, 200);
});

test("deleting several screenshots removes the account's own with their images, but not those still being captured", async () => {
  const [person, other] = [await signedUp(service), await signedUp(service)];
  const taken = (await play(person, "/red", { response_type: "json" })).body;
  const [kept = "", pending = "", deleted = ""] = await fillHistory(person, 3);
  await service.pool.query("update screenshots set status = 'pending', lease_until = now() + interval '1 hour' where id = $1", [pending]);
  const [foreign = ""] = await fillHistory(other, 1);
  const ids = [taken.id, pending, deleted, foreign, crypto.randomUUID()];
  const answer = await person.post("/v1/account/screenshots/delete", { ids });
  assert.deepEqual([answer.status, answer.body.deleted.toSorted()], [200, [taken.id, deleted].toSorted()]);
  const left = (await person.get("/v1/account/screenshots")).body.screenshots.map(({ id }: { id: string }) => id);
  assert.deepEqual(left, [pending, kept]);
  assert.equal((await fetch(taken.url)).status, 404, "the image is also deleted");
  assert.equal((await other.get("/v1/account/screenshots")).body.screenshots.length, 1);
  const none = await person.post("/v1/account/screenshots/delete", { ids: [] });
  assert.deepEqual([none.status, none.body.details[0].parameter], [400, "ids"]);
});

test("deleting a screenshot also removes its image and its cache entry", async () => {
  const person = await signedUp(service);
  const taken = await play(person, "/red", { is_cached: "true", response_type: "json" });
  assert.equal((await play(person, "/red", { is_cached: "true" })).headers.get("x-cache"), "HIT");
  const path = `/v1/account/screenshots/${taken.body.id}`;
  assert.equal((await person.ask("DELETE", path)).status, 204);
  for (const gone of [path, `${path}/image`]) assert.equal((await person.get(gone)).status, 404);
  assert.equal((await fetch(taken.body.url)).status, 404, "the signed link stops working");
  assert.equal((await person.ask("DELETE", path)).status, 404);
  assert.equal((await play(person, "/red", { is_cached: "true" })).headers.get("x-cache"), "MISS");
  assert.equal((await person.get("/v1/account")).body.month.used, 2, "it still counts against the quota");
});

test("usage is counted by key and day: captured, cached, failed, rejected, and delivered bytes", async () => {
  const person = await signedUp(service);
  const { key, secret } = (await person.post("/v1/account/keys", { name: "site", allowed_targets: ["127.0.0.1"] })).body;
  let bytes = 0;
  const take = async (options: Record<string, string>) => {
    const response = await service.take({ api_key: secret, url: `${site.origin}/red`, width: "30", height: "20", ...options });
    const body = await response.arrayBuffer();
    if (response.status === 200) bytes += body.byteLength;
    return response.status;
  };
  assert.equal(await take({ is_cached: "true", response_type: "empty" }), 204);
  assert.equal(await take({ is_cached: "true" }), 200);
  assert.equal(await take({ format: "png" }), 200);
  assert.equal(await take({ selector: "#nowhere" }), 400);
  assert.equal(await take({ width: "abc" }), 400);
  assert.equal(await take({ url: "https://example.com/" }), 403);
  await play(person, "/blue");

  const { days, keys, totals, month } = await usageOf(person, "?days=3");
  const used = { captured: 2, cached: 1, failed: 1, rejected: 2, bytes };
  const [today] = days.slice(-1);
  const playground = keys.find(({ key_id }: { key_id: string | null }) => key_id === null);
  assert.deepEqual(
    keys.find(({ key_id }: { key_id: string | null }) => key_id === key.id),
    { key_id: key.id, name: "site", hint: key.hint, ...used },
  );
  assert.deepEqual([playground.captured, playground.name], [1, null]);
  assert.equal(today.day, new Date().toISOString().slice(0, 10));
  assert.deepEqual([today.captured, today.bytes], [3, bytes + playground.bytes]);
  assert.deepEqual([days.length, days[0].captured, totals.captured, month.used], [3, 0, 3, 3]);
  assert.deepEqual((await usageOf(person, `?days=1&key_id=${key.id}`)).totals, used);
  assert.equal((await usageOf(person, "?days=1&key_id=playground")).totals.captured, 1);

  const { first_steps } = (await person.get("/v1/account")).body;
  assert.deepEqual([first_steps.key_made, first_steps.picture_taken], [true, true]);
});

/** Inserts records without images, in order of creation: now, or at the time `at`. */
async function fillHistory(person: Person, count: number, at?: string): Promise<string[]> {
  const ids: string[] = [];
  for (let turn = 0; turn < count; turn++) {
    const { v7 } = await import("uuid");
    ids.push(at ? v7({ msecs: Date.parse(at) }) : v7());
    await service.pool.query(
      `insert into screenshots (id, user_id, period_start, status, url, options, cache_key, format, expires_at, created_at)
       values ($1, $2, now(), 'done', 'https://example.test/', '{}', '', 'png', now() + interval '1 day', coalesce($3, now()))`,
      [ids.at(-1), person.userId, at ?? null],
    );
  }
  return ids;
}

test("requests whose target is refused or can't be resolved are listed and counted as failed, free of charge", async () => {
  const person = await signedUp(service);
  const { secret } = (await person.post("/v1/account/keys", { name: "site" })).body;
  for (const url of ["http://10.0.0.1/", "http://unknown.invalid/"])
    assert.equal((await service.take({ api_key: secret, url })).status, 400);
  const { screenshots } = (await person.get("/v1/account/screenshots?status=failed")).body;
  assert.deepEqual(
    screenshots.map(({ url, error, key_name, image }: Record<string, unknown>) => [url, error, key_name, image]),
    [
      ["http://unknown.invalid/", "name_not_resolved", "site", null],
      ["http://10.0.0.1/", "target_blocked", "site", null],
    ],
  );
  const { totals, month } = (await person.get("/v1/account/usage")).body;
  assert.deepEqual([totals.failed, month.used], [2, 0]);
  assert.ok((await person.get("/v1/account/keys")).body.keys[0].last_used_at, "the last use is visible immediately");
});
