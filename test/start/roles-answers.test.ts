/** The cost of a capture awaited by a process without browsers: it is charged only if the response was sent. */

import assert from "node:assert/strict";
import { Readable } from "node:stream";
import { type TestContext, test } from "node:test";
import { objectKey } from "../../src/storage/link.ts";
import { createCosts, small, testCosts } from "../http/costs.ts";
import { eventually } from "../support/eventually.ts";
import { longOnly } from "../support/long-only.ts";
import { fileScope } from "../support/scope.ts";
import { type Json, startReplica, startService } from "../support/service.ts";
import { closedPage, createSite } from "../support/site.ts";

const longTest = longOnly(test);
const scope = fileScope();
const site = await createSite(scope);
const api = await startService(scope, { EGRESS_ALLOWED_HOSTS: site.host, ROLE: "api" });
const worker = await startReplica(scope, api, { ROLE: "worker" });
const url = `${site.origin}/`;
const { used, paid, records, sweep } = createCosts(api);

/** Whether a response to the account still has to be confirmed. */
async function isOpen(userId: string): Promise<boolean> {
  const { rows } = await api.pool.query("select 1 from captures where user_id = $1 and answer_by is not null", [userId]);
  return rows.length > 0;
}

/** Replaces a method of a process's storage until the test ends. */
function replace<Name extends "put" | "get">(
  t: TestContext,
  { services }: typeof api,
  name: Name,
  by: (typeof api)["services"]["store"][Name],
) {
  const { store } = services;
  const original = store[name];
  store[name] = by;
  const restore = () => {
    store[name] = original;
  };
  t.after(restore);
  return { restore };
}

longOnly(testCosts)(api, site); // http/costs.test.ts has the same without roles

/** Status of the image of the account's only record, read by its id. */
async function imageStatus(userId: string, key: string): Promise<number> {
  const [record] = await records(userId);
  return (await fetch(`${api.origin}/v1/screenshots/${record?.id}/image`, { headers: { authorization: `Bearer ${key}` } })).status;
}

test("costs: responses of a killed api process cost nothing, because nobody confirms them before their lease expires; their images can't be read", async (t) => {
  const { key, userId } = await api.createAccount();
  const get = replace(t, api, "get", () => new Promise(() => {})); // as if the process had been killed before it responded
  const response = api.take({ api_key: key, url, ...small }).catch(() => {});
  await eventually("it has been captured", async () => (await records(userId))[0]?.stored === true);
  await sweep.run();
  assert.equal(await used(userId), 1, "the lease has not expired");
  await api.pool.query("update captures set answer_by = now() - interval '1 second' where user_id = $1", [userId]);
  await eventually("another process's sweep has dropped it", async () => (await sweep.run()) === 0 && (await used(userId)) === 0);
  get.restore();
  assert.deepEqual([(await records(userId))[0]?.status, await imageStatus(userId, key)], ["failed", 404]);
  void response;
});

test("costs: if storage stops halfway through the image, a 503 with the screenshot's id costs nothing, and the image can be fetched later", async (t) => {
  const { key, userId } = await api.createAccount();
  const get = api.services.store.get.bind(api.services.store);
  replace(t, api, "get", async (...of) => {
    const found = await get(...of);
    found?.stream.destroy();
    return found && { ...found, stream: Readable.from([Buffer.alloc(10)]) };
  });
  const response = await api.take({ api_key: key, url, ...small });
  const { code, error } = await response.json();
  assert.deepEqual([response.status, code, await used(userId)], [503, "unavailable", 0]);
  assert.ok(Number(response.headers.get("retry-after")) > 0);
  const [record] = await records(userId);
  assert.equal(response.headers.get("x-screenshot-id"), record?.id);
  assert.match(error, new RegExp(record?.id ?? "the id"));
  api.services.store.get = get;
  assert.deepEqual([await imageStatus(userId, key), await paid(userId)], [200, 0]);
});

test("costs: if storage can't deliver one of several outputs, they cost one and the output is named with its id; if it delivers none, a 503 costs nothing", async (t) => {
  const { key, userId } = await api.createAccount();
  const get = api.services.store.get.bind(api.services.store);
  let isAway = (file: string) => file.endsWith(".txt");
  replace(t, api, "get", async (file, ...of) => {
    if (isAway(file)) throw new Error("storage is unavailable");
    return await get(file, ...of);
  });
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const body = JSON.stringify({ url, width: 200, height: 100, outputs: [{ name: "image" }, { name: "words", format: "text" }] });
  const post = () => fetch(`${api.origin}/v1/captures`, { method: "POST", headers, body });
  const { outputs } = await (await post()).json();
  assert.deepEqual([outputs[0].error, outputs[1].error.code], [undefined, "unavailable"]);
  assert.ok(outputs[1].id);
  await eventually("it has been confirmed", async () => !(await isOpen(userId)));
  assert.equal(await used(userId), 1);
  isAway = () => true;
  const refused = await post();
  assert.deepEqual([refused.status, (await refused.json()).code, await used(userId)], [503, "unavailable", 1]);
  isAway = () => false;
  const { screenshots } = await (await fetch(`${api.origin}/v1/screenshots`, { headers })).json();
  assert.equal(screenshots.length, 4, "they are kept");
});

test("an api process doesn't read new outputs, slices included, for a response with links; a zip has them whole", async (t) => {
  const { key } = await api.createAccount();
  site.serve({ "/tall": "<!doctype html><p style='height:2000px'>Tall" });
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const outputs = [{ name: "image" }, { name: "tall", full_page: true, slice_height: 600 }];
  const post = (more = {}) => {
    const body = JSON.stringify({ url: `${site.origin}/tall`, width: 400, height: 300, outputs, ...more });
    return fetch(`${api.origin}/v1/captures`, { method: "POST", headers, body });
  };
  const get = api.services.store.get.bind(api.services.store);
  let opened = 0;
  const { restore } = replace(t, api, "get", async (...of) => {
    opened += 1;
    const found = await get(...of);
    found?.stream.destroy();
    return found && { ...found, stream: new Readable({ read: () => assert.fail("the file is read") }) };
  });
  const response = await post();
  const described = (await response.json()).outputs;
  const files = described.flatMap((one: Json) => one.slices ?? [one]);
  assert.deepEqual(
    [response.status, response.headers.get("x-cache"), described.map((one: Json) => one.cache)],
    [200, "MISS", ["MISS", "MISS"]],
  );
  assert.ok(files.length > 3);
  assert.equal(opened, files.length, "storage was asked for each file");
  restore();
  const zip = Buffer.from(await (await post({ response_type: "zip" })).arrayBuffer());
  const stored = files.reduce((sum: number, { bytes }: Json) => sum + bytes, 0);
  assert.ok(zip.length > stored, `${zip.length} of more than ${stored} bytes`);
});

test("cached outputs, slices included, are the same again and in a zip, but an api process reads them only for the zip", async (t) => {
  const { key, userId } = await api.createAccount();
  site.serve({ "/tall": "<!doctype html><p style='height:2000px'>Tall" });
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const outputs = [{ name: "image" }, { name: "tall", full_page: true, slice_height: 600 }, { name: "words", format: "text" }];
  const request = { url: `${site.origin}/tall`, width: 400, height: 300, is_cached: true, outputs };
  const post = (more = {}) =>
    fetch(`${api.origin}/v1/captures`, { method: "POST", headers, body: JSON.stringify({ ...request, ...more }) });
  const described = async (response: Response) => {
    const { target, outputs } = await response.json();
    const filesOf = (one: Json) =>
      (one.slices ?? [one]).map(({ id, y, width, height, bytes, etag }: Json) => [id, y, width, height, bytes, etag]);
    return { cache: outputs.map((one: Json) => one.cache), target, files: outputs.map(filesOf) };
  };
  const first = await described(await post());
  assert.ok(first.files[1].length > 2);
  let reads = 0;
  const get = api.services.store.get.bind(api.services.store);
  replace(t, api, "get", (...of) => {
    reads += 1;
    return get(...of);
  });
  assert.deepEqual(await described(await post()), { ...first, cache: ["HIT", "HIT", "HIT"] });
  assert.equal(reads, 0);
  const zip = Buffer.from(await (await post({ response_type: "zip" })).arrayBuffer()).toString("latin1");
  const entries = zip.split("PK\u0001\u0002").length - 1; // the description is one more
  assert.deepEqual([entries, await used(userId)], [first.files.flat().length + 1, 1]);
});

test("costs: a caller who disconnects before the capture has ended isn't charged, and nothing is stored", async () => {
  const { key, userId } = await api.createAccount();
  const page = closedPage(site, "/left");
  const caller = new AbortController();
  const query = new URLSearchParams({ api_key: key, url: `${site.origin}/left`, is_cached: "true", ...small });
  const left = fetch(`${api.origin}/v1/screenshots/take?${query}`, { signal: caller.signal }).catch(() => "left");
  await eventually("it runs", page.requested);
  caller.abort();
  assert.equal(await left, "left");
  await eventually("it has been refunded", async () => (await used(userId)) === 0);
  page.open();
  await eventually("the worker is done", () => worker.services.slots.state().running === 0);
  assert.deepEqual(
    (await records(userId)).map(({ status, error, stored }) => ({ status, error, stored })),
    [{ status: "failed", error: "client_gone", stored: false }],
  );
  const again = await api.take({ api_key: key, url: `${site.origin}/left`, is_cached: "true", ...small });
  assert.deepEqual([again.status, again.headers.get("x-cache")], [200, "MISS"]);
});

test("costs: a caller who disconnects between capture and response is charged for one screenshot, which is stored", async (t) => {
  const { key, userId } = await api.createAccount();
  const caller = new AbortController();
  const reading = Promise.withResolvers<void>();
  replace(t, api, "get", (_key, signal) => {
    reading.resolve();
    return new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
  });
  const query = new URLSearchParams({ api_key: key, url, ...small });
  const left = fetch(`${api.origin}/v1/screenshots/take?${query}`, { signal: caller.signal }).catch(() => "left");
  await reading.promise;
  caller.abort();
  assert.equal(await left, "left");
  await eventually("it has been confirmed", async () => !(await isOpen(userId)));
  assert.deepEqual([await used(userId), (await records(userId))[0]?.status], [1, "done"]);
});

longTest("costs: while storage is down, a 503 costs nothing, and what is stored later is removed again", async (t) => {
  const { key, userId } = await api.createAccount();
  const { store } = worker.services;
  const put = store.put.bind(store);
  let isAway = true;
  let stored = 0;
  replace(t, worker, "put", async (...file) => {
    if (isAway) throw new Error("storage is unavailable");
    await put(...file);
    stored += 1;
  });
  const response = await api.take({ api_key: key, url, ...small });
  assert.deepEqual([response.status, (await response.json()).code], [503, "unavailable"]);
  assert.ok(Number(response.headers.get("retry-after")) > 0);
  assert.equal(await used(userId), 0);
  isAway = false;
  await worker.stop(); // which retries once
  const [record] = await records(userId);
  assert.deepEqual([stored, record?.status, record?.stored, await imageStatus(userId, key)], [1, "failed", false, 404]);
  assert.equal(await api.services.store.get(objectKey(record?.id ?? "", "png"), t.signal), undefined);
  assert.equal(await paid(userId), 0);
});
