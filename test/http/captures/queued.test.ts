/** `POST /v1/captures` with `async`, and operations on such captures: reading, waiting, canceling, repeating. */

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import type { ServerResponse } from "node:http";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { prefersAsync } from "../../../src/http/captures/idempotency.ts";
import { waitsPerAccountMax } from "../../../src/http/captures/queued.ts";
import { eventually } from "../../support/eventually.ts";
import { longOnly } from "../../support/long-only.ts";
import { fileScope } from "../../support/scope.ts";
import { type Json, startService } from "../../support/service.ts";
import { closedPage, colouredPage, createSite } from "../../support/site.ts";

const longTest = longOnly(test);
const scope = fileScope();
const site = await createSite(scope, { "/": colouredPage("#00ff00", "<h1>Open</h1>") });
const service = await startService(scope, { EGRESS_ALLOWED_HOSTS: site.host, MAX_CONCURRENT_JOBS: "1", WEBHOOK_ALLOW_HTTP: "true" });
const url = `${site.origin}/`;
const outputs = [
  { name: "image", format: "png" },
  { name: "words", format: "text" },
];

const { send, used } = service;
const submit = (key: string, body: object = {}, headers?: Record<string, string>) =>
  send("POST", "/v1/captures", key, { url, width: 200, height: 100, outputs, async: true, ...body }, headers);
const read = (key: string, id: string, wait = 30) => send("GET", `/v1/captures/${id}?wait=${wait}`, key);
const cancel = (key: string, id: string) => send("DELETE", `/v1/captures/${id}`, key);

test("async: returns 202 with Location and the state; once done, the capture has the same members as a synchronous response, with working links", async () => {
  const { key, userId } = await service.createAccount({ quota: 5 });
  const submitted = await submit(key);
  assert.equal(submitted.status, 202, JSON.stringify(submitted.json));
  const { id } = submitted.json;
  assert.equal(submitted.headers.get("location"), `/v1/captures/${id}`);
  assert.equal(submitted.json.status, "queued");
  assert.equal(await used(userId), 1, "reserved along with the job");
  const { json } = await read(key, id);
  assert.equal(json.status, "done", JSON.stringify(json));
  assert.equal(json.created_at, submitted.json.created_at);
  assert.match(json.created_at, /T\d\d:\d\d:\d\d\.\d{3}Z$/);
  assert.ok(json.created_at <= json.started_at && json.started_at <= json.ended_at);
  const synchronous = await send("POST", "/v1/captures", key, { url, width: 200, height: 100, outputs });
  for (const name of Object.keys(synchronous.json)) assert.ok(name in json, name);
  assert.deepEqual(json.target, synchronous.json.target);
  for (const [index, output] of json.outputs.entries()) {
    const same = synchronous.json.outputs[index];
    assert.deepEqual([output.name, output.format, output.etag], [same.name, same.format, same.etag]);
    const file = await fetch(output.url);
    assert.equal(file.status, 200);
    assert.equal((await file.arrayBuffer()).byteLength, output.bytes);
  }
  assert.equal(await used(userId), 2);
});

longTest("async: Prefer: respond-async is equivalent, and confirmed by Preference-Applied", async () => {
  const { key } = await service.createAccount();
  const { status, headers, json } = await submit(key, { async: undefined }, { prefer: "wait=5, respond-async" });
  assert.equal(status, 202);
  assert.equal(headers.get("preference-applied"), "respond-async");
  assert.equal((await read(key, json.id)).json.status, "done");
});

test("async: Prefer is parsed as a list of preferences with parameters and quoted strings", () => {
  const asked = ["respond-async", "Respond-Async", 'a="x, y",respond-async;b=1', "wait=5 , respond-async ; c", 'respond-async=""'];
  for (const prefer of asked) assert.equal(prefersAsync(prefer), true, prefer);
  const others = [
    "",
    "wait=5; respond-async",
    'note="x, respond-async"',
    'note="\\", respond-async',
    "respond-async=no",
    "respond-asynchronously",
  ];
  for (const prefer of others) assert.equal(prefersAsync(prefer), false, prefer);
});

test("async: wait accepts decimal seconds up to 60", async () => {
  const { key } = await service.createAccount();
  const { json } = await submit(key);
  for (const wait of ["-1", "61", "3.5", "0x10", "five", "1&wait=2"]) {
    const refused = await send("GET", `/v1/captures/${json.id}?wait=${wait}`, key);
    assert.deepEqual([refused.status, refused.json.details[0].parameter], [400, "wait"], wait);
  }
  assert.equal((await send("GET", `/v1/captures/${json.id}?wait=+6e1`, key)).json.status, "done");
});

longTest(
  "async: an account can have 256 waiting requests; a disconnect makes room for another, and other accounts are not affected",
  async () => {
    const [one, other] = [await service.createAccount(), await service.createAccount()];
    const page = closedPage(site, "/awaited");
    const submitted = await submit(one.key, { url: `${site.origin}/awaited` });
    const { id } = submitted.json;
    const leaving = new AbortController();
    const wait = async (signal?: AbortSignal): Promise<Response> => {
      const headers = { authorization: `Bearer ${one.key}` };
      const response = await fetch(`${service.origin}/v1/captures/${id}?wait=8`, { headers, ...(signal && { signal }) });
      if (response.status !== 429) return response;
      // The request below that checks whether all of them are waiting was faster than this one, and is itself waiting.
      await pause(50);
      return wait(signal);
    };
    const left = wait(leaving.signal).catch(() => "left");
    const waiting = Array.from({ length: waitsPerAccountMax - 1 }, () => wait());
    const idempotent = () => submit(one.key, { async: undefined }, { "idempotency-key": randomUUID() });
    await eventually("all of them are waiting", async () => (await send("GET", `/v1/captures/${id}?wait=1`, one.key)).status === 429);
    const { status, json } = await idempotent();
    assert.deepEqual([status, json.code], [429, "rate_limited"]);
    assert.equal((await read(one.key, id, 0)).status, 200);
    assert.equal((await submit(other.key)).status, 202);
    leaving.abort();
    assert.equal(await left, "left");
    await eventually("there is room for another", async () => (await send("GET", `/v1/captures/${id}?wait=1`, one.key)).status === 200);
    page.open();
    assert.ok((await Promise.all(waiting)).every((response) => response.status === 200));
  },
);

test("async: a capture whose target fails ends as failed with its error, free of charge", async () => {
  const { key, userId } = await service.createAccount();
  const { json } = await submit(key, { outputs: [{ selector: "#missing" }] });
  const ended = (await read(key, json.id)).json;
  assert.equal(ended.status, "failed");
  assert.equal(ended.error.code, "selector_not_found");
  assert.equal(await used(userId), 0);
});

test("async: blocked targets and invalid options are rejected before anything is queued", async () => {
  const { key, userId } = await service.createAccount();
  assert.equal((await submit(key, { outputs: [{ width: 0 }] })).json.code, "invalid_parameters");
  const { json } = await submit(key, { response_type: "zip" });
  assert.match(json.message, /response_type must be json for an asynchronous capture/);
  const { json: mixed } = await submit(key, { async: false, webhook_url: "http://example.com/" });
  assert.match(mixed.message, /webhook_url requires an asynchronous capture/);
  assert.equal(await used(userId), 0);
});

test("async: queued captures count towards the quota", async () => {
  const { key } = await service.createAccount({ quota: 1 });
  assert.equal((await submit(key)).status, 202);
  const { status, json } = await submit(key);
  assert.deepEqual([status, json.code], [403, "quota_exceeded"]);
});

test("async: a capture canceled before it starts never contacts the target, costs nothing, and can safely be canceled again", async () => {
  const { key, userId } = await service.createAccount();
  const [first, second] = [closedPage(site, "/first"), closedPage(site, "/second")];
  const running = await submit(key, { url: `${site.origin}/first` });
  await eventually("the first capture is running", first.requested);
  const waiting = await submit(key, { url: `${site.origin}/second` });
  assert.equal((await read(key, waiting.json.id, 0)).json.status, "queued");
  for (let turn = 0; turn < 2; turn++) {
    const { status, json } = await cancel(key, waiting.json.id);
    assert.deepEqual([status, json.status], [200, "canceled"]);
  }
  assert.equal(await used(userId), 1);
  const refused = await cancel(key, running.json.id);
  assert.deepEqual([refused.status, refused.json.code], [409, "capture_begun"]);
  first.open();
  assert.equal((await read(key, running.json.id)).json.status, "done");
  assert.equal((await submit(key).then(({ json }) => read(key, json.id))).json.status, "done");
  assert.ok(!second.requested());
});

longTest("async: synchronous requests take precedence over queued captures", async (t) => {
  const order: string[] = [];
  const opened = Promise.withResolvers<void>();
  const pages = Object.fromEntries(
    ["/running", "/queued", "/waiting"].map((path) => [
      path,
      async (_request: unknown, response: ServerResponse) => {
        order.push(path);
        if (path === "/running") await opened.promise;
        response.setHeader("content-type", "text/html").end(colouredPage("#0000ff"));
      },
    ]),
  );
  site.serve(pages);
  const single = await startService(t, { EGRESS_ALLOWED_HOSTS: site.host, MAX_CONCURRENT_SCREENSHOTS: "1" });
  const { key } = await single.createAccount();
  const running = single.take({ api_key: key, url: `${site.origin}/running` });
  await eventually("the first capture is running", () => order.length === 1);
  const body = JSON.stringify({ url: `${site.origin}/queued`, outputs: [{}], async: true });
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const queued = await fetch(`${single.origin}/v1/captures`, { method: "POST", headers, body }).then((response) => response.json());
  await eventually("its job has been taken", async () => {
    const { rows } = await single.pool.query("select state from jobs.job where id = $1", [queued.id]);
    return rows[0].state === "active";
  });
  const waiting = single.take({ api_key: key, url: `${site.origin}/waiting` });
  await eventually("the second is waiting for a browser", () => single.services.slots.state().waiting === 1);
  opened.resolve();
  await Promise.all([running, waiting]);
  await fetch(`${single.origin}/v1/captures/${queued.id}?wait=30`, { headers: { authorization: `Bearer ${key}` } });
  assert.deepEqual(order, ["/running", "/waiting", "/queued"]);
});

test("async: other accounts can't read or cancel it; unknown ids are a 404", async () => {
  const [own, other] = [await service.createAccount(), await service.createAccount()];
  const { json } = await submit(own.key);
  for (const id of [json.id, randomUUID(), "nonsense"]) {
    assert.equal((await read(other.key, id, 0)).json.code, "not_found");
    assert.equal((await cancel(other.key, id)).json.code, "not_found");
  }
});

test("async: identical requests with an Idempotency-Key create one capture, queued or not", async () => {
  const { key, userId } = await service.createAccount();
  const headers = { "idempotency-key": randomUUID() };
  const answers = await Promise.all([1, 2, 3].map(() => submit(key, {}, headers)));
  assert.equal(new Set(answers.map(({ json }) => json.id)).size, 1);
  assert.deepEqual([...new Set(answers.map(({ status }) => status))], [202]);
  const other = await submit(key, { width: 201 }, headers);
  assert.deepEqual([other.status, other.json.code], [409, "idempotency_key_reused"]);

  const synchronous = { "idempotency-key": randomUUID() };
  const [first, again] = await Promise.all([1, 2].map(() => submit(key, { async: false }, synchronous)));
  assert.equal(first?.status, 200, JSON.stringify(first?.json));
  assert.equal(first?.json.id, again?.json.id);
  assert.deepEqual(
    first?.json.outputs.map(({ etag }: Json) => etag),
    again?.json.outputs.map(({ etag }: Json) => etag),
  );
  assert.equal(await used(userId), 2);
  assert.equal((await submit(key, {}, { "idempotency-key": "two words" })).json.code, "invalid_parameters");
});

longTest("async: with an Idempotency-Key, a failure is returned again, and a zip can be fetched again", async () => {
  const { key } = await service.createAccount();
  const headers = { "idempotency-key": randomUUID() };
  const failed = await submit(key, { async: false, outputs: [{ selector: "#missing" }] }, headers);
  assert.deepEqual([failed.status, failed.json.code], [400, "selector_not_found"]);
  assert.deepEqual((await submit(key, { async: false, outputs: [{ selector: "#missing" }] }, headers)).json.code, "selector_not_found");
  const body = JSON.stringify({ url, width: 200, height: 100, outputs, response_type: "zip" });
  const post = () =>
    fetch(`${service.origin}/v1/captures`, {
      method: "POST",
      body,
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json", "idempotency-key": "zip" },
    });
  const [one, two] = [await post(), await post()];
  assert.deepEqual([one.status, one.headers.get("content-type")], [200, "application/zip"]);
  assert.equal(one.headers.get("content-disposition"), two.headers.get("content-disposition"));
  assert.ok((await two.arrayBuffer()).byteLength > 500);
});

longTest("async: cookies and documents are stored encrypted, and only until the capture ends", async () => {
  const { key } = await service.createAccount();
  const secret = "session=very-secret-value";
  const page = closedPage(site, "/secret");
  const { json } = await submit(key, { url: `${site.origin}/secret`, cookies: [secret] });
  await eventually("it runs", page.requested);
  const { rows } = await service.pool.query("select request, row_to_json(c)::text as row from captures c where id = $1", [json.id]);
  assert.ok(rows[0].request.length > 100 && !rows[0].request.includes("very-secret") && !rows[0].row.includes("very-secret"));
  page.open();
  assert.equal((await read(key, json.id)).json.status, "done");
  const { rows: ended } = await service.pool.query("select request from captures where id = $1", [json.id]);
  assert.equal(ended[0].request, null);
});

longTest("async: a request that can no longer be decrypted fails and costs nothing", async () => {
  const { key, userId } = await service.createAccount();
  const first = closedPage(site, "/before-change");
  await submit(key, { url: `${site.origin}/before-change` });
  await eventually("the first capture is running", first.requested);
  const { json } = await submit(key);
  await service.pool.query("update captures set request = '\\x00112233' where id = $1", [json.id]);
  first.open();
  const ended = (await read(key, json.id)).json;
  assert.deepEqual([ended.status, ended.error.code], ["failed", "unavailable"]);
  assert.match(ended.error.message, /AUTH_SECRET was changed/);
  assert.equal(await used(userId), 1);
});

longTest("async: queued captures whose key has been revoked don't run", async () => {
  const { key, userId } = await service.createAccount();
  const first = closedPage(site, "/before-revocation");
  await submit(key, { url: `${site.origin}/before-revocation` });
  await eventually("the first capture is running", first.requested);
  const { json } = await submit(key);
  await service.pool.query("update api_keys set revoked_at = now() where user_id = $1", [userId]);
  first.open();
  await eventually("it has failed", async () => {
    const { rows } = await service.pool.query("select status, result from captures where id = $1", [json.id]);
    return rows[0].status === "failed" && rows[0].result.failure.code === "invalid_api_key";
  });
});

test("async: a capture whose process dies is retried, but charged once", async () => {
  const { key, userId } = await service.createAccount();
  const page = closedPage(site, "/crash");
  const { json } = await submit(key, { url: `${site.origin}/crash` });
  await eventually("it runs", page.requested);
  const { rows } = await service.pool.query("select request from captures where id = $1", [json.id]);
  page.open();
  assert.equal((await read(key, json.id)).json.status, "done");
  // As if the process had recorded the first output and failed the second, then died.
  await service.pool.query("update captures set status = 'running', request = $2, result = null, ended_at = null where id = $1", [
    json.id,
    rows[0].request,
  ]);
  await service.pool.query("update screenshots set status = 'failed', error = 'abandoned' where capture_id = $1 and output = 'words'", [
    json.id,
  ]);
  await service.services.captureJobs.run({ id: json.id, priority: 0, retries: 1, isLastAttempt: false }, new AbortController().signal);
  const again = (await read(key, json.id, 0)).json;
  assert.equal(again.status, "done");
  assert.ok(again.outputs.every(({ error }: Json) => error === undefined));
  const { rows: records } = await service.pool.query("select status, costs from screenshots where capture_id = $1 order by id", [json.id]);
  assert.deepEqual(records, [
    { status: "done", costs: 1 },
    { status: "done", costs: 0 },
  ]);
  assert.equal(await used(userId), 1);
});

/** Storage that fails for as long as a caller waits, and then blocks a file until it is opened. */
function awayStorage() {
  const { store } = service.services;
  const { put } = store;
  const isBack = Promise.withResolvers<void>();
  let tries = 0;
  store.put = async (...file) => {
    tries += 1;
    if (tries <= 3) throw new Error("storage is unavailable");
    await isBack.promise;
    store.put = put;
    await store.put(...file);
  };
  return { isHeld: () => tries > 3, open: isBack.resolve };
}

longTest("async: a waiting caller gets the capture even while storage is down; its file has a link once it is stored", async () => {
  const { key } = await service.createAccount();
  const storage = awayStorage();
  const { json } = await submit(key, { async: false, outputs: [{ name: "image" }] }, { "idempotency-key": randomUUID() });
  const [early] = json.outputs;
  assert.equal(early.url, null);
  assert.match(early.warnings.join(), /could not be stored/);
  storage.open();
  await eventually("it is stored", async () => {
    const { rows } = await service.pool.query("select object_key from screenshots where id = $1", [early.id]);
    return rows[0].object_key !== null;
  });
  const [late] = (await read(key, json.id, 0)).json.outputs;
  assert.deepEqual([(await fetch(late.url)).status, late.warnings], [200, []]);
});

longTest("async: a queued capture completes once its files are stored, however long storage is down", async () => {
  const { key } = await service.createAccount();
  const storage = awayStorage();
  const { json } = await submit(key, { outputs: [{ name: "image" }] });
  await eventually("storing has failed, and is retried", storage.isHeld);
  assert.equal((await read(key, json.id, 0)).json.status, "running");
  storage.open();
  const ended = (await read(key, json.id)).json;
  assert.deepEqual([ended.status, (await fetch(ended.outputs[0].url)).status, ended.outputs[0].warnings], ["done", 200, []]);
});

longTest("async: a failure that can't be recorded isn't refunded, so that the retried capture is charged", async () => {
  const { key, userId } = await service.createAccount();
  const first = closedPage(site, "/before-refusal");
  await submit(key, { url: `${site.origin}/before-refusal` });
  await eventually("the first capture is running", first.requested);
  const { json } = await submit(key);
  await service.pool.query("update api_keys set revoked_at = now() where user_id = $1", [userId]);
  await service.pool.query(`
    create function refuse_end() returns trigger language plpgsql as 'begin raise exception $$the disk is full$$; end';
    create trigger refuse_end before update on captures for each row when (new.id = '${json.id}' and new.status = 'failed') execute function refuse_end()`);
  first.open();
  await eventually("its end could not be recorded", async () => {
    const { rows } = await service.pool.query("select started_at from captures where id = $1", [json.id]);
    return rows[0].started_at !== null;
  });
  await assert.rejects(
    service.services.captureJobs.run({ id: json.id, priority: 0, retries: 1, isLastAttempt: true }, new AbortController().signal),
    /the disk is full/,
  );
  assert.equal(await used(userId), 2);
  await service.pool.query("drop trigger refuse_end on captures; drop function refuse_end");
  await eventually("it will be retried", async () => {
    const { rows } = await service.pool.query("select status from captures where id = $1", [json.id]);
    return rows[0].status === "failed";
  });
  assert.equal(await used(userId), 1);
});

test("webhook_url receives capture.done and capture.failed, once each", async () => {
  const { key } = await service.createAccount();
  const received: { type: string; data: Json }[] = [];
  site.serve({
    "/hook": async (request, response) => {
      let text = "";
      for await (const chunk of request) text += chunk;
      received.push(JSON.parse(text));
      response.end();
    },
  });
  const webhook_url = `${site.origin}/hook`;
  const done = await submit(key, { webhook_url });
  const failed = await submit(key, { webhook_url, outputs: [{ selector: "#missing" }] });
  await eventually("both have arrived", () => received.length === 2);
  const of = (type: string) => received.find((event) => event.type === type)?.data;
  assert.equal(of("capture.done").id, done.json.id);
  assert.deepEqual(
    of("capture.done").outputs.map(({ name }: Json) => name),
    ["image", "words"],
  );
  assert.deepEqual([of("capture.failed").id, of("capture.failed").error.code], [failed.json.id, "selector_not_found"]);
  const { json } = await submit(key, { webhook_url: "http://169.254.169.254/latest" });
  assert.match(json.message, /webhook_url resolves to an address or port that is not allowed/);
});
