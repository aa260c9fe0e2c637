/** `POST /v1/batches`: many captures in one request, all or nothing, and their progress, cancellation and completion. */

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import { createBatchRecords } from "../../../src/screenshots/queued/batch-records.ts";
import { createApiKey } from "../../accounts/accounts.ts";
import { eventually } from "../../support/eventually.ts";
import { longOnly } from "../../support/long-only.ts";
import { longestTurnAtBest } from "../../support/longest-turn.ts";
import { fileScope } from "../../support/scope.ts";
import { type Json, startReplica, startService } from "../../support/service.ts";
import { closedPage, colouredPage, createSite } from "../../support/site.ts";

const longTest = longOnly(test);
const scope = fileScope();
const site = await createSite(scope, { "/": colouredPage("#00ff00", "<h1>Open</h1>") });
const settings = { EGRESS_ALLOWED_HOSTS: site.host, MAX_CONCURRENT_JOBS: "1", WEBHOOK_ALLOW_HTTP: "true" };
const service = await startService(scope, settings);
const url = `${site.origin}/`;
const shared = { width: 200, height: 100 };

const { send, used } = service;
const submit = (key: string, captures: object[], more: object = {}, headers?: Record<string, string>) =>
  send("POST", "/v1/batches", key, { shared, captures, ...more }, headers);
const read = async (key: string, id: string): Promise<Json> => (await send("GET", `/v1/batches/${id}`, key)).json;

async function ended(key: string, id: string): Promise<Json> {
  let state: Json;
  await eventually("the batch has ended", async () => {
    state = await read(key, id);
    return state.status === "done";
  });
  return state;
}

async function rowsOf(id: string): Promise<{ id: string; status: string; name: string }[]> {
  return (await service.pool.query("select id, status, name from captures where batch_id = $1 order by position", [id])).rows;
}

/** Starts a webhook receiver and returns its URL. */
function receiver(path: string): { address: string; received: { type: string; data: Json }[] } {
  const received: { type: string; data: Json }[] = [];
  site.serve({
    [path]: async (request, response) => {
      let text = "";
      for await (const chunk of request) text += chunk;
      received.push(JSON.parse(text));
      response.end();
    },
  });
  return { address: `${site.origin}${path}`, received };
}

test("POST batches: returns 202 with Location and progress; its captures match individual ones, and batch.done is sent once", async () => {
  const { key, userId } = await service.createAccount({ quota: 5 });
  const { address, received } = receiver("/hook");
  const { status, json, headers } = await submit(
    key,
    [
      { url, name: "home" },
      { url, width: 300 },
      { url, outputs: [{ name: "words", format: "text" }, { selector: "#no" }] },
      { url, selector: "#no" },
    ],
    { webhook_url: address },
  );
  assert.equal(status, 202, JSON.stringify(json));
  assert.equal(headers.get("location"), `/v1/batches/${json.id}`);
  assert.deepEqual([json.status, json.total, json.ended_at], ["running", 4, null]);
  const state = await ended(key, json.id);
  assert.deepEqual(state.counts, { queued: 0, running: 0, done: 3, failed: 1, canceled: 0 });
  assert.equal(state.seconds_left, 0);
  assert.ok(state.rate > 0 && state.created_at < state.ended_at);
  assert.equal(await used(userId), 3, "a failed capture costs nothing");
  const [home, wide, parts, failed] = await Promise.all(
    (await rowsOf(json.id)).map(async (row) => (await send("GET", `/v1/captures/${row.id}`, key)).json),
  );
  assert.deepEqual(home.batch, { id: json.id, index: 0, name: "home" });
  assert.deepEqual([home.outputs[0].name, home.outputs[0].width, wide.outputs[0].width], ["screenshot", 200, 300]);
  assert.equal((await fetch(wide.outputs[0].url)).status, 200);
  assert.deepEqual([parts.status, parts.outputs.length, parts.outputs[1].error.code], ["done", 2, "selector_not_found"]);
  assert.deepEqual([failed.status, failed.error.code], ["failed", "selector_not_found"]);
  await eventually("the webhook has arrived", () => received.length > 0);
  assert.deepEqual(received, [
    {
      type: "batch.done",
      timestamp: (received[0] as Json).timestamp,
      data: { id: json.id, total: 4, counts: { done: 3, failed: 1, canceled: 0 } },
    },
  ]);
});

test("POST batches: a batch over the remaining quota is rejected as a whole, and the error states the remainder", async () => {
  const { key, userId } = await service.createAccount({ quota: 3 });
  const refused = await submit(key, [{ url }, { url }, { url }, { url }]);
  assert.deepEqual([refused.status, refused.json.code], [403, "quota_exceeded"]);
  assert.match(refused.json.message, /^The request costs 4 screenshots, but the monthly quota of 3 has only 3 left; it resets on /);
  assert.equal(await used(userId), 0);
  const { rows } = await service.pool.query("select 1 from captures where user_id = $1", [userId]);
  assert.equal(rows.length, 0);
  const [one, two] = await Promise.all([submit(key, [{ url }, { url }]), submit(key, [{ url }, { url }])]);
  assert.deepEqual([one.status, two.status].sort(), [202, 403], "the quota is enough for only one of two concurrent batches");
});

longTest("POST batches: an error names several invalid entries, but not all of a thousand", async () => {
  const { key, userId } = await service.createAccount();
  const captures = Array.from({ length: 1_000 }, () => ({ url }));
  const with17 = captures
    .with(17, { url, width: 0 } as Json)
    .with(900, { url: "nonsense" })
    .with(901, {} as Json);
  const { status, json } = await submit(key, with17);
  assert.deepEqual([status, json.code], [400, "invalid_parameters"]);
  const names = (answer: Json) => answer.details.map(({ parameter }: Json) => parameter);
  assert.deepEqual(names(json), ["captures[17].width", "captures[900].url", "captures[901].url"]);
  assert.match(json.message, /captures\[17\]\.width must be an integer from/);
  const all = await submit(
    key,
    captures.map(() => ({ url, width: 0 })),
  );
  assert.equal(all.json.details.length, 20);
  assert.deepEqual(names((await submit(key, [{ url }, { url }], { shared: { width: 0 } })).json), ["shared.width"]);
  const placed = await submit(key, [{ url, async: true }, { url, name: "a" }, { url, name: "A" }, { url, name: "/" }, "text" as Json], {
    width: 1,
  });
  assert.deepEqual(
    names(placed.json),
    ["width", "captures[0].async", "captures[4]", "captures[3].name", "captures[2].name"].sort(
      (a, b) => names(placed.json).indexOf(a) - names(placed.json).indexOf(b),
    ),
  );
  assert.deepEqual(names((await submit(key, [{ url, outputs: [{}, { widht: 1 }] }])).json), ["captures[0].outputs[1].widht"]);
  assert.match((await submit(key, [...captures, { url }])).json.message, /captures must be a list of 1 to 1000 objects, but has 1001/);
  assert.match((await submit(key, [])).json.message, /but has 0/);
  const large = await submit(key, captures, { shared: { html: "x".repeat(20_000) } });
  assert.match(large.json.message, /^the options of all captures take 20\d{6} bytes, but may take at most 16777216 bytes in total/);
  const outputs = Array.from({ length: 20 }, (_, index) => ({ name: `at-${index}`, width: 100 + index }));
  const styles = await submit(key, captures.slice(0, 50), { shared: { styles: "x".repeat(20_000), outputs } });
  assert.match(styles.json.message, /^the options of all captures take 2[0-2]\d{6} bytes/);
  assert.equal(await used(userId), 0);
});

longTest(
  "batch: one request queues a thousand captures within its time limit, each with its own position; canceled ones cost nothing",
  async () => {
    const { key, userId } = await service.createAccount({ quota: 1_000 });
    const first = closedPage(site, "/thousand");
    const captures = Array.from({ length: 1_000 }, (_, index) => ({ url: `${site.origin}/thousand?${index}` }));
    site.serve({ "/thousand": colouredPage("#ff0000") });
    const running = await send("POST", "/v1/captures", (await service.createAccount()).key, {
      url: `${site.origin}/held`,
      outputs: [{}],
      async: true,
    });
    const held = closedPage(site, "/held");
    const { status, json } = await submit(key, captures);
    assert.equal(status, 202, JSON.stringify(json));
    assert.equal(await used(userId), 1_000);
    const { rows } = await service.pool.query(
      "select count(distinct turn)::integer as turns from captures where batch_id = $1 and turn is not null",
      [json.id],
    );
    assert.ok(rows[0].turns >= 999);
    const canceled = await send("DELETE", `/v1/batches/${json.id}`, key);
    assert.ok(canceled.json.counts.canceled >= 998, JSON.stringify(canceled.json));
    held.open();
    first.open();
    await send("GET", `/v1/captures/${running.json.id}?wait=30`, key);
    const state = await ended(key, json.id);
    assert.equal(state.counts.canceled + state.counts.done, 1_000);
    assert.equal(await used(userId), state.counts.done);
  },
);

test("cancel batch: running captures finish, the rest cost nothing, and canceling again has no effect", async () => {
  const { key, userId } = await service.createAccount();
  const { address, received } = receiver("/canceled");
  const [first, second] = [closedPage(site, "/one"), closedPage(site, "/two")];
  const { json } = await submit(key, [{ url: `${site.origin}/one` }, { url: `${site.origin}/two` }, { url: `${site.origin}/two` }], {
    webhook_url: address,
  });
  await eventually("the first capture is running", first.requested);
  for (let turn = 0; turn < 2; turn++) {
    const { status, json: state } = await send("DELETE", `/v1/batches/${json.id}`, key);
    assert.equal(status, 200);
    assert.deepEqual([state.status, state.counts.running, state.counts.canceled], ["running", 1, 2]);
  }
  first.open();
  assert.deepEqual((await ended(key, json.id)).counts, { queued: 0, running: 0, done: 1, failed: 0, canceled: 2 });
  assert.equal((await send("DELETE", `/v1/batches/${json.id}`, key)).json.status, "done");
  assert.equal(await used(userId), 1);
  assert.ok(!second.requested());
  await eventually("the webhook has arrived", () => received.length > 0);
  assert.deepEqual(
    received.map(({ data }) => data.counts),
    [{ done: 1, failed: 0, canceled: 2 }],
  );
});

longTest("batch: canceling the last unfinished capture ends the batch", async () => {
  const { key } = await service.createAccount();
  const held = closedPage(site, "/alone");
  const before = await submit(key, [{ url: `${site.origin}/alone` }]);
  await eventually("another batch is running", held.requested);
  const { json } = await submit(key, [{ url }]);
  const [only] = await rowsOf(json.id);
  assert.equal((await send("DELETE", `/v1/captures/${only?.id}`, key)).json.status, "canceled");
  assert.equal((await read(key, json.id)).status, "done");
  held.open();
  await ended(key, before.json.id);
});

test("batch: identical requests with the same Idempotency-Key create one batch", async () => {
  const { key, userId } = await service.createAccount();
  const headers = { "idempotency-key": randomUUID() };
  const answers = await Promise.all([1, 2, 3].map(() => submit(key, [{ url }, { url }], {}, headers)));
  assert.equal(new Set(answers.map(({ json }) => json.id)).size, 1);
  assert.deepEqual([...new Set(answers.map(({ status }) => status))], [202]);
  const other = await submit(key, [{ url }], {}, headers);
  assert.deepEqual([other.status, other.json.code], [409, "idempotency_key_reused"]);
  await ended(key, answers[0]?.json.id);
  assert.equal(await used(userId), 2);
});

test("batch: an Idempotency-Key accepts members in another order, but not captures in another order", async () => {
  const { key } = await service.createAccount();
  const headers = { "idempotency-key": randomUUID() };
  const first = await submit(key, [{ url, width: 300 }, { url }], {}, headers);
  const again = { captures: [{ width: 300, url }, { url }], shared: { height: 100, width: 200 } };
  assert.equal((await send("POST", "/v1/batches", key, again, headers)).json.id, first.json.id);
  assert.equal((await submit(key, [{ url }, { url, width: 300 }], {}, headers)).status, 409);
});

longTest("batch: each of a thousand captures may have several options and outputs", async () => {
  const { key } = await service.createAccount();
  const outputs = ["one", "two", "three", "four", "five"].map((name, at) => ({ name, width: 300 + at, format: "webp" }));
  const captures = Array.from({ length: 1_000 }, (_, at) => ({ url: `${url}?${at}`, name: `page-${at}`, outputs }));
  const { status, json } = await submit(key, captures);
  assert.deepEqual([status, json.total], [202, 1_000], JSON.stringify(json));
  await send("DELETE", `/v1/batches/${json.id}`, key);
});

longTest(
  "batch: 5,000 outputs are validated and queued over several turns of the event loop; more are rejected before validation",
  async () => {
    const { key, userId } = await service.createAccount();
    const outputs = Array.from({ length: 20 }, (_, index) => ({ width: 200 + index }));
    const many = (count: number) => Array.from({ length: count }, (_, index) => ({ url: `${url}?${index}`, outputs }));
    const { ms } = await longestTurnAtBest(async () => {
      const { status, json } = await submit(key, many(250));
      assert.equal(status, 202);
      const positions = (await service.pool.query("select position from captures where batch_id = $1 order by id", [json.id])).rows;
      assert.deepEqual(
        positions,
        Array.from({ length: 250 }, (_, position) => ({ position })),
      );
      await send("DELETE", `/v1/batches/${json.id}`, key);
    }, 70);
    assert.ok(ms < 70, `a turn of the event loop took ${ms} ms`);
    await eventually("only captures that had started are charged", async () => (await used(userId)) <= 3);
    const before = process.threadCpuUsage();
    const { status, json } = await submit(key, many(1_000));
    const { user, system } = process.threadCpuUsage(before);
    assert.deepEqual([status, json.message], [400, "captures have 20000 outputs in total."]);
    assert.ok(user + system < 1_000_000, `${user + system} µs of CPU time`);
  },
);

test("batch: names derived from URLs are short enough for file names in any script, and unique under any normalization of accents", async () => {
  const { key } = await service.createAccount();
  const paths = ["維".repeat(150), "e\u0301t\u00e9", "\u00e9t\u00e9", "नमस्ते", "..%2f..%2fx"];
  const captures = paths.map((path) => ({ url: `${site.origin}/${path.includes("%") ? path : encodeURIComponent(path)}` }));
  const { json } = await submit(key, captures);
  const names = (await rowsOf(json.id)).map(({ name }) => name);
  const stem = site.host.replace(":", "-");
  assert.deepEqual(names.slice(1), [`${stem}-été`, `${stem}-été-2`, `${stem}-नमस्ते`, `${stem}-..-..-x`]);
  const [long = ""] = names;
  assert.ok(long.endsWith("維") && Buffer.byteLength(long) <= 150, long);
  await send("DELETE", `/v1/batches/${json.id}`, key);
});

test("async: other accounts can't read or cancel it; unknown ids are a 404", async () => {
  const [own, other] = [await service.createAccount(), await service.createAccount()];
  const { json } = await submit(own.key, [{ url }]);
  for (const id of [json.id, randomUUID(), "nonsense"])
    for (const method of ["GET", "DELETE"]) {
      const { status, json: answer } = await send(method, `/v1/batches/${id}`, other.key);
      assert.deepEqual([status, answer.code], [404, "not_found"], method);
    }
  assert.equal((await ended(own.key, json.id)).counts.done, 1);
});

test("batch: if a process dies, another one continues, and each capture is charged once", async (t) => {
  const { key, userId } = await service.createAccount();
  const { address, received } = receiver("/crash-hook");
  const page = closedPage(site, "/crash");
  const { json } = await submit(key, [{ url: `${site.origin}/crash` }, { url }, { url }], { webhook_url: address });
  await eventually("it runs", page.requested);
  const [first] = await rowsOf(json.id);
  const { rows } = await service.pool.query("select request from captures where id = $1", [first?.id]);
  page.open();
  await ended(key, json.id);
  // As if the process had captured the page, but died before recording the end.
  await service.pool.query("update captures set status = 'running', request = $2, result = null, ended_at = null where id = $1", [
    first?.id,
    rows[0].request,
  ]);
  await service.pool.query("update batches set ended_at = null where id = $1", [json.id]);
  const replica = await startReplica(t, service, { ...settings, MAX_CONCURRENT_JOBS: "1" });
  await replica.services.captureJobs.run(
    { id: first?.id ?? "", priority: 0, retries: 1, isLastAttempt: false },
    new AbortController().signal,
  );
  const state = await read(key, json.id);
  assert.deepEqual([state.status, state.counts.done], ["done", 3]);
  assert.equal(await used(userId), 3);
  await eventually("the webhook has arrived", () => received.length > 0);
  assert.equal(received.length, 1, "the event is the same");
});

longTest("batch: captures whose jobs were lost are reported as failed, and the batch ends", async () => {
  const { key } = await service.createAccount();
  const first = closedPage(site, "/before-loss");
  await submit(key, [{ url: `${site.origin}/before-loss` }]);
  await eventually("the first capture is running", first.requested);
  const { address, received } = receiver("/loss");
  const batch = await submit(key, [{ url }, { url }], { webhook_url: address });
  const single = await send("POST", "/v1/captures", key, { url, outputs: [{}], async: true, webhook_url: address });
  await service.pool.query("update captures set created_at = now() - interval '27 hours' where id = $1 or batch_id = $2", [
    single.json.id,
    batch.json.id,
  ]);
  await Promise.all([service.services.captureJobs.endLost(), service.services.captureJobs.endLost()]);
  const state = await read(key, batch.json.id);
  assert.deepEqual([state.status, state.counts.failed], ["done", 2]);
  await eventually("both are reported", () => received.length === 2);
  first.open();
  const sorted = received.map(({ type, data }) => [type, data.id]).sort();
  assert.deepEqual(sorted, [
    ["batch.done", batch.json.id],
    ["capture.failed", single.json.id],
  ]);
});

test("batch: if its last captures end concurrently, the batch still ends once", async () => {
  const { key } = await service.createAccount();
  const { address, received } = receiver("/together");
  const held = closedPage(site, "/busy");
  const busy = await submit(key, [{ url: `${site.origin}/busy` }]);
  await eventually("the queue is busy", held.requested);
  const { json } = await submit(key, [{ url }, { url }], { webhook_url: address });
  const never = new AbortController().signal;
  const run = async ({ id }: { id: string }) =>
    await service.services.captureJobs.run({ id, priority: 0, retries: 0, isLastAttempt: false }, never);
  const [one, two] = await rowsOf(json.id);
  const running = [one, two].map((row) => run(row as Json));
  held.open();
  await Promise.all(running);
  assert.equal((await read(key, json.id)).status, "done");
  await ended(key, busy.json.id);
  await eventually("the webhook has arrived", () => received.length > 0);
  const { rows } = await service.pool.query("select count(*)::integer as count from webhook_deliveries where id = $1", [json.id]);
  assert.equal(rows[0].count, 1);
});

test("batch: records with long results are read a few at a time, however well they compress; all of them are listed", async () => {
  const { key } = await service.createAccount();
  const { json } = await submit(
    key,
    ["one", "two", "three", "four"].map((name) => ({ name, html: name })),
  );
  await ended(key, json.id);
  const ids = (await resultsOf(key, json.id)).map(({ id }) => id);
  assert.equal(ids.length, 4);
  await service.pool.query(
    `update captures set result = jsonb_set(result, '{capture,outputs,0,warnings}', jsonb_build_array(repeat('words ', $2)))
      where batch_id = $1 and name <> 'four'`,
    [json.id, 500_000],
  );
  const records = createBatchRecords(service.services.database);
  const first = await records.ended(json.id, undefined);
  assert.ok(first.length === 1, `${first.length} records`);
  const lines = await resultsOf(key, json.id);
  assert.deepEqual(
    lines.map(({ id }) => id),
    ids,
  );
  assert.ok(lines.some((line) => JSON.stringify(line).length > 2_500_000));
});

longTest("batch: streams and reads of long results at the same time take turns of the event loop", async () => {
  const { key } = await service.createAccount({ rateLimit: 10_000 });
  const { json } = await submit(key, [{ name: "one", html: "one" }]);
  await ended(key, json.id);
  await service.pool.query(
    `update captures set result = jsonb_set(result, '{capture,outputs,0,warnings}', to_jsonb(array_fill(repeat(chr(1), 200), array[$2::integer])))
      where batch_id = $1`,
    [json.id, 2_000],
  );
  const [{ id }] = await resultsOf(key, json.id);
  for (const path of [`batches/${json.id}/results`, `captures/${id}`]) {
    const { ms } = await longestTurnAtBest(async () => {
      const read = () => fetch(`${service.origin}/v1/${path}`, { headers: { "x-api-key": key } });
      const responses = await Promise.all(Array.from({ length: 20 }, read));
      for (const response of responses) assert.ok((await response.arrayBuffer()).byteLength > 2_400_000);
    }, 50);
    assert.ok(ms < 50, `${path}: a turn of the event loop took ${ms} ms`);
  }
});

async function resultsOf(key: string, id: string, query = ""): Promise<Json[]> {
  const response = await fetch(`${service.origin}/v1/batches/${id}/results${query}`, { headers: { "x-api-key": key } });
  assert.equal(response.status, 200, await response.clone().text());
  assert.equal(response.headers.get("content-type"), "application/x-ndjson");
  const text = await response.text();
  return text.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line)]));
}

longTest(
  "batch: results list ended captures in the order in which they ended, even while the batch runs, and reading can resume after any of them",
  async () => {
    const { key } = await service.createAccount();
    const held = closedPage(site, "/results");
    const { json } = await submit(key, [
      { url, name: "first" },
      { url, selector: "#no" },
      { url: `${site.origin}/results` },
      { url, name: "last" },
    ]);
    await eventually("the third capture is running", held.requested);
    const early = await resultsOf(key, json.id);
    assert.deepEqual(
      early.map(({ status, batch }) => [status, batch.index]),
      [
        ["done", 0],
        ["failed", 1],
      ],
    );
    assert.deepEqual({ ...early[0], outputs: null }, { ...(await send("GET", `/v1/captures/${early[0].id}`, key)).json, outputs: null });
    assert.equal((await fetch(early[0].outputs[0].url)).status, 200);
    const following = resultsOf(key, json.id, `?follow=true&after=${early[0].id}`);
    held.open();
    assert.deepEqual(
      (await following).map(({ batch }) => batch.index),
      [1, 2, 3],
    );
    assert.deepEqual(
      (await resultsOf(key, json.id)).map(({ batch }) => batch.index),
      [0, 1, 2, 3],
    );
    assert.deepEqual(await resultsOf(key, json.id, `?after=${(await resultsOf(key, json.id)).at(-1).id}`), []);
    const foreign = await send("GET", `/v1/batches/${json.id}/results?after=${randomUUID()}`, key);
    assert.match(foreign.json.message, /after must be the id of a finished capture in this batch/);
  },
);

longTest("batch: results are complete even if they span several pages", async () => {
  const { key } = await service.createAccount();
  const held = closedPage(site, "/many");
  const { json } = await submit(key, [{ url: `${site.origin}/many` }, ...Array.from({ length: 160 }, () => ({ url }))]);
  await eventually("the first capture is running", held.requested);
  await send("DELETE", `/v1/batches/${json.id}`, key);
  held.open();
  const all = await resultsOf(key, json.id, "?follow=true");
  assert.equal(new Set(all.map(({ id }) => id)).size, 161);
});

test("batch: events report every change of the counts, and end with the batch", async () => {
  const { key } = await service.createAccount();
  const held = closedPage(site, "/events");
  const { json } = await submit(key, [{ url: `${site.origin}/events` }, { url }]);
  await eventually("the first capture is running", held.requested);
  const response = await fetch(`${service.origin}/v1/batches/${json.id}/events`, { headers: { "x-api-key": key } });
  assert.equal(response.headers.get("content-type"), "text/event-stream");
  assert.equal(response.headers.get("x-accel-buffering"), "no"); // otherwise nginx would buffer the events
  let text = "";
  for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += chunk;
    held.open(); // once the first event has arrived
  }
  const events = text.split("\n\n").filter((event) => event.startsWith("event"));
  assert.match(events[0] ?? "", /^event: progress\ndata: \{"id":.*"running":1/);
  assert.match(events.at(-1) ?? "", /^event: done\ndata: \{.*"done":2/);
});

test("batch: the zip contains every file under a unique name, and a manifest that lists failures", async () => {
  const { key, userId } = await service.createAccount();
  site.serve({ "/docs/install": colouredPage("#ff0000") });
  const { json } = await submit(key, [
    { url: `${site.origin}/docs/install`, format: "png" },
    { url: `${site.origin}/docs/install`, format: "png", width: 300 },
    { url, name: "con", format: "png" },
    {
      url,
      name: "two",
      outputs: [
        { name: "image", format: "png" },
        { name: "words", format: "text" },
      ],
    },
    { url, name: "failed", selector: "#no" },
    { url, name: "manifest", format: "metadata" },
  ]);
  await ended(key, json.id);
  const response = await fetch(`${service.origin}/v1/batches/${json.id}/zip`, { headers: { "x-api-key": key } });
  assert.deepEqual([response.status, response.headers.get("content-type")], [200, "application/zip"]);
  assert.equal(response.headers.get("content-disposition"), `attachment; filename="batch-${json.id}.zip"`);
  const zip = Buffer.from(await response.arrayBuffer());
  const files = await unzip(zip);
  const manifest = JSON.parse(files.get("manifest.json")?.toString() ?? "");
  const host = new URL(url).host.replace(":", "-");
  const byIndex = (index: number): Json => manifest.find((entry: Json) => entry.index === index);
  assert.deepEqual(
    byIndex(0).files.map(({ file }: Json) => file),
    [`${host}-docs-install.png`],
  );
  assert.deepEqual(
    byIndex(1).files.map(({ file }: Json) => file),
    [`${host}-docs-install-2.png`],
  );
  assert.deepEqual(
    byIndex(2).files.map(({ file }: Json) => file),
    ["~con.png"],
  );
  assert.deepEqual(
    byIndex(3).files.map(({ file }: Json) => file),
    ["two/image.png", "two/words.txt"],
  );
  assert.deepEqual([byIndex(4).status, byIndex(4).error.code], ["failed", "selector_not_found"]);
  const listed = manifest.flatMap((entry: Json) => entry.files ?? []);
  assert.deepEqual([...files.keys()].sort(), [...listed.map(({ file }: Json) => file), "manifest.json"].sort());
  assert.equal(new Set([...files.keys()].map((name) => name.toLowerCase())).size, 7);
  for (const { file, bytes } of listed) assert.equal(files.get(file)?.length, bytes, file);

  const traffic = async () => {
    await service.services.usage.flush();
    const { rows } = await service.pool.query(
      "select sum(bytes)::integer as bytes, sum(cached)::integer as cached from usage_days where user_id = $1",
      [userId],
    );
    return rows[0];
  };
  await eventually("the zip is counted in bytes, but not as a screenshot request", async () => {
    const { bytes, cached } = await traffic();
    return bytes === zip.length && cached === 0;
  });
});

test("batch: results, events and files are not available to other accounts", async () => {
  const [own, other] = [await service.createAccount(), await service.createAccount()];
  const { json } = await submit(own.key, [{ url }]);
  for (const part of ["results", "events", "zip"]) {
    const { status, json: answer } = await send("GET", `/v1/batches/${json.id}/${part}`, other.key);
    assert.deepEqual([status, answer.code], [404, "not_found"], part);
  }
  await ended(own.key, json.id);
});

async function readToEnd({ body }: Response): Promise<{ text: string; isCutOff: boolean }> {
  let text = "";
  const decoder = new TextDecoder();
  try {
    for await (const chunk of body ?? []) text += decoder.decode(chunk, { stream: true });
  } catch {
    return { text, isCutOff: true };
  }
  return { text, isCutOff: false };
}

test("batch: result and event streams end once their key is revoked or restricted", async () => {
  for (const change of ["revoked_at = now()", "allowed_targets = '{example.com}'", "require_signature = true"]) {
    const { key, userId } = await service.createAccount();
    const { rows } = await service.pool.query("select email from users where id = $1", [userId]);
    const reader = await createApiKey(service.database, rows[0].email);
    const path = `/held-${change.slice(0, 7)}`;
    const held = closedPage(site, path);
    const { json } = await submit(key, [{ url }, { url: `${site.origin}${path}` }]);
    await eventually("the second capture is running", held.requested);
    const streams = await Promise.all(
      ["results?follow=true", "events"].map((part) =>
        fetch(`${service.origin}/v1/batches/${json.id}/${part}`, { headers: { "x-api-key": reader } }),
      ),
    );
    await service.pool.query(`update api_keys set ${change} where user_id = $1`, [userId]);
    const ends = await Promise.all(streams.map((stream) => readToEnd(stream)));
    assert.deepEqual(
      ends.map(({ isCutOff }) => isCutOff),
      [true, true],
      change,
    );
    assert.equal((await rowsOf(json.id))[1]?.status, "running");
    held.open();
  }
});

longTest("batch: result and event streams end at shutdown, and can be continued on another process", async (t) => {
  const { key } = await service.createAccount();
  const held = closedPage(site, "/stopped");
  const { json } = await submit(key, [{ url }, { url: `${site.origin}/stopped` }]);
  await eventually("the second capture is running", held.requested);
  const replica = await startReplica(t, service, settings);
  const headers = { "x-api-key": key };
  const streams = await Promise.all(
    ["results?follow=true", "events"].map((part) => fetch(`${replica.origin}/v1/batches/${json.id}/${part}`, { headers })),
  );
  const path = `/v1/batches/${json.id}/results?follow=true&after=${(await resultsOf(key, json.id))[0].id}`;
  const unstarted = fetch(`${replica.origin}${path}`, { headers }).then(({ status }) => status);
  await pause(500); // it has no line to send
  const [results, events] = streams.map((stream) => readToEnd(stream));
  await replica.stop();
  const { text: lines = "", isCutOff } = (await results) ?? {};
  assert.equal(isCutOff, true, "a response that ended would say that nothing is missing");
  assert.doesNotMatch((await events)?.text ?? "", /event: done/);
  assert.equal(await unstarted, 503);
  const after = JSON.parse(lines).id;
  held.open();
  assert.deepEqual(
    (await resultsOf(key, json.id, `?follow=true&after=${after}`)).map(({ batch }) => batch.index),
    [1],
  );
});

/** Unpacked with a tool that is not our own. */
longTest("batch: the zip omits a file that is shorter or longer than its record, and the manifest says so", async () => {
  const { key, userId } = await service.createAccount();
  const { json } = await submit(key, [
    { url, name: "cut", format: "png" },
    { url, name: "whole", format: "png" },
  ]);
  await ended(key, json.id);
  // Puts a digit before each size.
  const changed = `update captures set result = regexp_replace(result::text, '("bytes": ?)', '\\11', 'g')::jsonb where user_id = $1 and name = 'cut'`;
  assert.equal((await service.pool.query(changed, [userId])).rowCount, 1);
  const response = await fetch(`${service.origin}/v1/batches/${json.id}/zip`, { headers: { "x-api-key": key } });
  const files = await unzip(Buffer.from(await response.arrayBuffer()));
  assert.deepEqual([...files.keys()].sort(), ["manifest.json", "whole.png"]);
  const [{ files: cut }] = JSON.parse(String(files.get("manifest.json"))).filter(({ name }: Json) => name === "cut");
  assert.deepEqual(
    cut.map(({ error }: Json) => error),
    ["The stored file can't be read."],
  );
});

async function unzip(zip: Buffer): Promise<Map<string, Buffer>> {
  const folder = await mkdtemp(join(tmpdir(), "batch-zip-"));
  scope.after(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, "all.zip"), zip);
  const files = join(folder, "files");
  await promisify(execFile)("python3", ["-m", "zipfile", "-e", join(folder, "all.zip"), files]);
  const entries = await readdir(files, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return new Map(await Promise.all(paths.map(async (path) => [relative(files, path), await readFile(path)] as const)));
}
