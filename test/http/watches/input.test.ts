/** `/v1/watches`: accepted and rejected input, lists, and isolation between accounts. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { pino } from "pino";
import { v7 } from "uuid";
import { createRetention } from "../../../src/storage/retention.ts";
import { longOnly } from "../../support/long-only.ts";
import { fileScope } from "../../support/scope.ts";
import type { Json, JsonAnswer } from "../../support/service.ts";
import { closedPage, colouredPage } from "../../support/site.ts";
import { eventually, productPage, startWatching } from "./watching.ts";

const longTest = longOnly(test);
const { site, service, send, read, create, settled, run, used, watchWhen } = await startWatching(fileScope(), {
  MAX_WATCHES: "3",
  WATCH_INTERVAL_MIN_SECONDS: "300",
});
const url = `${site.origin}/`;
const small = { width: 40, height: 40, full_page: false };

const namesOf = ({ status, json }: JsonAnswer) => [status, ...(json.details ?? []).map(({ parameter }: Json) => parameter)];

test("DELETE watch: removes its runs, images and feed; a run that had not started is not charged", async (t) => {
  const { key, userId } = await service.createAccount();
  site.serve({ "/deleted": productPage("19 €") });
  const watch = await settled(key, { url: `${site.origin}/deleted` });
  const { link } = watch.latest_run.screenshot;
  const held = closedPage(site, "/held");
  const others = await Promise.all(
    Array.from({ length: 2 }, () => send("POST", "/v1/captures", key, { url: `${site.origin}/held`, outputs: [{}], async: true })),
  );
  await eventually("the browsers are busy", held.requested);
  const usedBefore = await used(userId);
  await send("POST", `/v1/watches/${watch.id}/run`, key);
  const removed = await send("DELETE", `/v1/watches/${watch.id}`, key);
  assert.deepEqual([removed.status, removed.json], [204, ""]);
  held.open();
  for (const { json } of others) await send("GET", `/v1/captures/${json.id}?wait=60`, key);
  assert.equal((await send("GET", `/v1/watches/${watch.id}`, key)).status, 404);
  assert.equal((await send("DELETE", `/v1/watches/${watch.id}`, key)).status, 404);
  assert.equal((await fetch(watch.feed_url)).status, 404);
  const { rows } = await service.pool.query("select 1 from watch_runs where watch_id = $1", [watch.id]);
  assert.equal(rows.length, 0);
  assert.equal(await used(userId), usedBefore, "the run had not started");
  const retention = createRetention({ database: service.database, store: service.services.store, log: pino({ level: "silent" }) });
  t.after(() => retention.close());
  await retention.sweep(new AbortController().signal);
  assert.equal((await fetch(link)).status, 404);
});

test("POST watches: invalid members cause a 400 that names them, and no watch is created", async () => {
  const { key, userId } = await service.createAccount();
  for (const [body, ...names] of [
    [{}, "url"],
    [{ url: "nonsense" }, "url"],
    [{ url, every: "4m" }, "every"],
    [{ url, every: "31d" }, "every"],
    [{ url, every: 5 }, "every"],
    [{ url, cron: "* * * * *" }, "cron"],
    [{ url, cron: "0 9 * *" }, "cron"],
    [{ url, every: "1d", cron: "0 9 * * *" }, "cron"],
    [{ url, cron: "0 9 * * *", time_zone: "Mars/Base" }, "time_zone"],
    [{ url, threshold: 2 }, "threshold"],
    [{ url, compare: "smell" }, "compare"],
    [{ url, ignore_selectors: ".a" }, "ignore_selectors"],
    [{ url, ignore_selectors: [".a", "[data-advert]"] }, "ignore_selectors[1]"],
    [{ url, name: "" }, "name"],
    [{ url, webhook_url: "nonsense" }, "webhook_url"],
    [{ url, webhook_url: "http://10.0.0.1/" }, "webhook_url"],
    [{ url, widht: 100 }, "widht"],
    [{ url, width: 0 }, "width"],
    [{ url, format: "png" }, "format"],
    [{ url, is_cached: true, clock: "fast", outputs: [] }, "is_cached", "clock"],
    [{ url, html: "<p>" }, "html"],
    [{ url, signature: "x" }, "signature"],
  ] as [object, ...string[]][]) {
    const answer = await send("POST", "/v1/watches", key, body);
    const [status, ...found] = namesOf(answer);
    assert.equal(status, 400, `${JSON.stringify(body)}: ${JSON.stringify(answer.json)}`);
    for (const name of names) assert.ok(found.includes(name), `${JSON.stringify(body)}: ${JSON.stringify(answer.json)}`);
  }
  const often = await send("POST", "/v1/watches", key, { url, every: "4m" });
  assert.match(often.json.message, /^every must be an interval from 5m to 30d, such as 90m, 12h or 1d/);
  assert.deepEqual((await send("GET", "/v1/watches", key)).json.watches, []);
  assert.equal(await used(userId), 0);
});

test("POST watches: options are returned without secrets, and applied to the page; schedules have a time zone", async () => {
  const { key } = await service.createAccount();
  const watch = await settled(key, {
    url,
    ...small,
    cron: "0 9 * * 1-5",
    time_zone: "Europe/Vienna",
    cookies: ["session=secret-text"],
    headers: ["X-Own: another-secret"],
    hide_selectors: [".advert"],
    user_agent: "Watcher/1",
  });
  const { options, cron, time_zone, every, next_run_at } = await read(key, watch.id);
  assert.deepEqual([cron, time_zone, every], ["0 9 * * 1-5", "Europe/Vienna", null]);
  assert.deepEqual(options, { ...small, cookies: "given", headers: "given", hide_selectors: [".advert"], user_agent: "Watcher/1" });
  assert.ok(next_run_at);
  const { rows } = await service.pool.query("select to_jsonb(w)::text as text from watches w where id = $1", [watch.id]);
  assert.doesNotMatch(rows[0].text, /secret-text|another-secret/);
  const seen = site.requests.find(({ headers }) => headers["user-agent"] === "Watcher/1")?.headers;
  assert.deepEqual([seen?.cookie, seen?.["x-own"]], ["session=secret-text", "another-secret"]);
  assert.equal(watch.latest_run.screenshot.width, 40);
});

longTest("PATCH watches: a new schedule keeps the baseline, a new page restarts the watch, and null resets a member", async () => {
  const { key } = await service.createAccount();
  const { id, accepted_run_id } = await settled(key, { url, ...small, cookies: ["a=1"], webhook_url: site.origin });
  const change = async (body: object) => {
    const { status, json } = await send("PATCH", `/v1/watches/${id}`, key, body);
    assert.equal(status, 200, JSON.stringify(json));
    return json;
  };
  const hourly = await change({ every: "1h", name: "Shop", threshold: 0.5, ignore_selectors: [".a"], compare: "text", webhook_url: null });
  assert.deepEqual(
    [hourly.every, hourly.name, hourly.threshold, hourly.ignore_selectors, hourly.compare, hourly.webhook_url],
    ["1h", "Shop", 0.5, [".a"], "text", null],
  );
  assert.deepEqual([hourly.accepted_run_id, hourly.phase, hourly.options.cookies], [accepted_run_id, "watching", "given"]);
  assert.ok(Date.parse(hourly.next_run_at) < Date.now() + 3_600_001);
  const daily = await change({ cron: "30 6 * * *", name: null });
  assert.deepEqual([daily.cron, daily.every, daily.name, daily.accepted_run_id], ["30 6 * * *", null, new URL(url).host, accepted_run_id]);
  const other = await change({ cookies: null, width: 50 });
  assert.deepEqual([other.accepted_run_id, other.phase, other.options.cookies, other.options.width], [null, "learning", undefined, 50]);
  assert.ok(Date.parse(other.next_run_at) <= Date.now() + 1_000);
  assert.deepEqual(namesOf(await send("PATCH", `/v1/watches/${id}`, key, { width: -1 })), [400, "width"]);
  assert.deepEqual(namesOf(await send("PATCH", `/v1/watches/${id}`, key, { url: null })), [400, "url"]);
});

longTest("PATCH watches: a run started before the page was changed is discarded, and the next one becomes the baseline", async () => {
  const { key } = await service.createAccount();
  site.serve({ "/before": colouredPage("#00ff00", "<h1>Open</h1>") });
  const { id } = await settled(key, { url: `${site.origin}/before`, ...small });
  const held = closedPage(site, "/before");
  const { json: begun } = await send("POST", `/v1/watches/${id}/run`, key);
  await eventually("its page is requested", held.requested);
  assert.equal((await send("PATCH", `/v1/watches/${id}`, key, { url, width: 60 })).status, 200);
  held.open();
  await send("GET", `/v1/captures/${begun.id}?wait=60`, key);
  const { latest_run } = await watchWhen(key, id, "a run is accepted", ({ accepted_run_id }) => accepted_run_id !== null);
  assert.deepEqual([latest_run.status, latest_run.accepted, latest_run.screenshot.width], ["learning", true, 60]);
  assert.equal((await send("GET", `/v1/watches/${id}/runs/${begun.id}`, key)).status, 404);
});

test("POST watches: repeating a request with the same Idempotency-Key creates one watch; a different body with it causes a 409", async () => {
  const { key } = await service.createAccount();
  const headers = { "idempotency-key": "once" };
  const make = (body: object) => send("POST", "/v1/watches", key, body, headers);
  const [one, two] = await Promise.all([make({ url, ...small }), make({ url, ...small })]);
  assert.deepEqual([one.status, two.status, one.json.id], [201, 201, two.json.id]);
  assert.equal(one.headers.get("location"), `/v1/watches/${one.json.id}`);
  assert.equal((await make({ url })).json.code, "idempotency_key_reused");
  assert.equal((await send("GET", "/v1/watches", key)).json.watches.length, 1);
});

longTest("POST run: repeating a request with the same Idempotency-Key returns the same run, even once it has ended", async () => {
  const { key } = await service.createAccount();
  const { id } = await settled(key, { url, ...small });
  const first = await send("POST", `/v1/watches/${id}/run`, key, undefined, { "idempotency-key": "run" });
  await run(key, id);
  const again = await send("POST", `/v1/watches/${id}/run`, key, undefined, { "idempotency-key": "run" });
  assert.deepEqual([again.status, again.json.id], [202, first.json.id]);
});

test("POST pause, POST resume: a paused watch has no next run, and a resumed one has", async () => {
  const { key } = await service.createAccount();
  const { id } = await create(key, { url, ...small });
  const { status, json } = await send("POST", `/v1/watches/${id}/pause`, key);
  assert.deepEqual([status, json.state, json.next_run_at], [200, "paused", null]);
  const resumed = await send("POST", `/v1/watches/${id}/resume`, key);
  assert.deepEqual([resumed.status, resumed.json.state], [200, "active"]);
  assert.ok(Date.parse(resumed.json.next_run_at) > 0);
});

test("POST watches: MAX_WATCHES limits the number of watches per account", async () => {
  const { key } = await service.createAccount();
  const made = await Promise.all(Array.from({ length: 5 }, () => send("POST", "/v1/watches", key, { url, ...small })));
  assert.deepEqual(made.map(({ status }) => status).sort(), [201, 201, 201, 409, 409]);
  const refused = made.find(({ status }) => status === 409);
  assert.deepEqual([refused?.json.code, refused?.json.message], ["watch_limit_reached", "The account already has 3 watches, the maximum."]);
});

longTest("GET watches: very long watches are listed on more pages, none of them too long", async () => {
  const { key } = await service.createAccount();
  const { id } = await create(key, { url, ...small, every: "30d", styles: `a{}${"x".repeat(60_000)}`, scripts: `//${"x".repeat(60_000)}` });
  const copy = "select (jsonb_populate_record(w, jsonb_build_object('id', $2::uuid))).* from watches w where id = $1";
  const ids = [id, ...Array.from({ length: 29 }, () => v7())].sort().reverse();
  for (const one of ids) if (one !== id) await service.pool.query(`insert into watches ${copy}`, [id, one]);
  const muted = "insert into watch_muted (id, watch_id, selector, is_learned, name) values ($1, $2, $3, true, $4)";
  for (let index = 0; index < 100; index += 1)
    await service.pool.query(muted, [v7(), ids[3], `a${index}-${"b".repeat(1000)}`, "x".repeat(300)]);
  const listed: string[] = [];
  const pages: number[] = [];
  for (let before = ""; listed.length === 0 || before !== ""; ) {
    const { json } = await send("GET", `/v1/watches?limit=29${before && `&before=${before}`}`, key);
    assert.ok(JSON.stringify(json).length < 1_300_000);
    pages.push(json.watches.length);
    listed.push(...json.watches.map((one: Json) => one.id));
    before = json.next_cursor ?? "";
  }
  assert.deepEqual(listed, ids);
  assert.deepEqual(pages, [8, 9, 9, 4]);
});

longTest("GET watches: pagination, and filters by state and status", async () => {
  const { key } = await service.createAccount();
  const { id } = await settled(key, { url, ...small });
  const second = await create(key, { url, ...small });
  await send("POST", `/v1/watches/${second.id}/pause`, key);
  await run(key, id);
  const page = (query: string) => send("GET", `/v1/watches${query}`, key).then(({ json }) => json);
  const first = await page("?limit=1");
  assert.deepEqual([first.watches.length, first.watches[0].id, first.next_cursor], [1, second.id, second.id]);
  const last = await page(`?limit=1&before=${first.next_cursor}`);
  assert.deepEqual([last.watches.length, last.watches[0].id, last.next_cursor], [1, id, null]);
  assert.deepEqual([(await page("?state=paused")).watches[0].id, (await page("?state=active")).watches[0].id], [second.id, id]);
  const runs = (query: string) => send("GET", `/v1/watches/${id}/runs${query}`, key).then(({ json }) => json);
  const newest = await runs("?limit=1");
  assert.deepEqual([newest.runs.length, newest.runs[0].status], [1, "unchanged"]);
  assert.equal((await runs(`?before=${newest.next_cursor}`)).runs.length, 1);
  assert.deepEqual([(await runs("?status=unchanged")).runs.length, (await runs("?status=changed")).runs.length], [1, 0]);
  for (const limit of ["0", "0x10"]) assert.deepEqual(namesOf(await send("GET", `/v1/watches?limit=${limit}`, key)), [400, "limit"]);
  assert.deepEqual(namesOf(await send("GET", `/v1/watches/${id}/runs?status=wrong`, key)), [400, "status"]);
});

longTest("watches: another account's watch or run gives a 404 on every route, like an unknown one", async () => {
  const { key } = await service.createAccount();
  const { key: other } = await service.createAccount();
  const { id, accepted_run_id: runId } = await settled(key, { url, ...small });
  const own = await create(other, { url, ...small });
  const { rows: before } = await service.pool.query("select to_jsonb(w) as row from watches w where id = $1", [id]);
  for (const [method, path, body] of [
    ["GET", ""],
    ["PATCH", "", { name: "mine" }],
    ["DELETE", ""],
    ["POST", "/run"],
    ["POST", "/pause"],
    ["POST", "/resume"],
    ["POST", "/accept", {}],
    ["POST", "/muted", { selector: "p" }],
    ["DELETE", `/muted/${v7()}`],
    ["GET", "/runs"],
    ["GET", `/runs/${runId}`],
  ] as [string, string, object?][])
    for (const unknown of [id, v7(), "not-an-id"]) {
      const { status, json } = await send(method, `/v1/watches/${unknown}${path}`, other, body);
      assert.deepEqual([status, json.code], [404, "not_found"], `${method} ${path}`);
    }
  assert.equal((await send("GET", `/v1/watches/${own.id}/runs/${runId}`, other)).status, 404);
  assert.equal((await send("POST", `/v1/watches/${own.id}/accept`, other, { run_id: runId })).status, 404);
  const { rows: after } = await service.pool.query("select to_jsonb(w) as row from watches w where id = $1", [id]);
  assert.deepEqual(after, before);
  assert.equal((await fetch(`${service.origin}/v1/watches/${id}`)).status, 400, "without a key");
  assert.equal((await send("GET", `/v1/watches/${id}`, "wrong-key")).json.code, "invalid_api_key");
});

test("POST watches: a target-restricted key can't watch other targets", async () => {
  const { key } = await service.createAccount({ targets: ["example.com"] });
  assert.equal((await send("POST", "/v1/watches", key, { url })).json.code, "target_not_allowed");
});

longTest("POST watches: the key may be in the body; compare=text ignores colors, compare=pixels doesn't", async () => {
  const { key } = await service.createAccount();
  const response = await fetch(`${service.origin}/v1/watches`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ api_key: key, url, ...small }),
  });
  assert.equal(response.status, 201);
  site.serve({ "/colours": productPage("19 €", '<p style="background:#fff">Sale</p>') });
  const { id } = await settled(key, { url: `${site.origin}/colours`, compare: "text" });
  site.serve({ "/colours": productPage("19 €", '<p style="background:#fa0">Sale</p>') });
  assert.equal((await run(key, id)).status, "unchanged");
  await send("PATCH", `/v1/watches/${id}`, key, { compare: "pixels" });
  assert.equal((await run(key, id)).status, "changed");
});

test("POST watches: errors in objects, lists and cron expressions state the exact member; null removes a schedule", async () => {
  const { key } = await service.createAccount();
  const { id } = await create(key, { url, ...small, cron: "0 9 * * *" });
  const muted = (body: object) => send("POST", `/v1/watches/${id}/muted`, key, body).then(({ json }) => json.message);
  const box = { x: 0, y: 0, width: 10, height: 10 };
  assert.equal(await muted({ box: { ...box, x: -1 } }), "box.x must be a number from 0 to 1000000, not -1.");
  assert.equal(await muted({ box: { ...box, left: 1 } }), "box.left is not a known field.");
  const made = (body: object) => send("POST", "/v1/watches", key, { url, ...body }).then(({ json }) => json.message);
  assert.match(await made({ cron: "0 0 31 2 *" }), /^cron must have five fields that match at least one date/);
  assert.match(await made({ evry: "1h" }), /^evry is not a parameter \(did you mean every\?\)/);
  for (const selector of ["a >", "> a", "a > > b"])
    assert.match(await made({ ignore_selectors: [selector] }), /^ignore_selectors\[0\] must consist of tags/, selector);
  const { json } = await send("PATCH", `/v1/watches/${id}`, key, { cron: null });
  assert.deepEqual([json.cron, json.every], [null, "1d"]);
  assert.equal((await send("PATCH", `/v1/watches/${id}`, key, { every: "2h" })).json.every, "2h");
  assert.equal((await send("PATCH", `/v1/watches/${id}`, key, { cron: null })).json.every, "2h");
  assert.equal((await send("PATCH", `/v1/watches/${id}`, key, { every: null })).json.every, "1d");
});
