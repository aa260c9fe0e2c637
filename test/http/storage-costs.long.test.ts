/** What requests cost while object storage is slower than they are, or never comes back. An image is charged exactly if it can be read. */

import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import { test } from "node:test";
import type { FastifyReply } from "fastify";
import { freePort } from "../../scripts/stack/ports.ts";
import { heldBytesMax, heldImages } from "../../src/http/server/held-images.ts";
import { startStorage } from "../storage/storage-server.ts";
import { eventually } from "../support/eventually.ts";
import { spawnServer } from "../support/process.ts";
import { fileScope, type Scope } from "../support/scope.ts";
import { startReplica, startService, type TestService } from "../support/service.ts";
import { colouredPage, createSite } from "../support/site.ts";
import { createCosts, small } from "./costs.ts";

const scope = fileScope();
const site = await createSite(scope, { "/": colouredPage("#00ff00") });
const asked = { url: `${site.origin}/`, ...small };
/** Of `POST /v1/captures`. */
const outputs = {
  url: `${site.origin}/`,
  width: 200,
  height: 100,
  outputs: [
    { name: "words", format: "text" },
    { name: "image", format: "png" },
  ],
};
const images = { ...outputs, outputs: [{ format: "webp" }, { format: "png" }] };
/** Seconds; shorter than the uploads below. */
const timeout = "5";

/** A service whose storage completes no upload before `release`, except those of `quick` files. */
async function startSlow(t: Scope, settings: Record<string, string> = {}, quick = ".none") {
  const storage = await startStorage(t);
  const service = await startService(t, {
    EGRESS_ALLOWED_HOSTS: site.host,
    STORAGE_URL: `http://127.0.0.1:${storage.port}`,
    STORAGE_USE_PATH_STYLE_ENDPOINT: "true",
    ...settings,
  });
  const held = Promise.withResolvers<undefined>();
  storage.before = ({ method, path }) =>
    method === "PUT" && path.includes("/screenshots/") && !path.includes(quick) ? held.promise : undefined;
  t.after(() => held.resolve(undefined));
  const removed = () => storage.requests.some(({ method, path }) => method === "DELETE" && path.includes("screenshots/"));
  return { service, storage, removed, release: () => held.resolve(undefined), ...createCosts(service) };
}

/** Number of the account's stored screenshots. */
async function listed({ send }: TestService, key: string): Promise<number> {
  const { json } = await send("GET", "/v1/screenshots", key);
  return json.screenshots.length;
}

async function statusOf({ origin }: TestService, key: string, id: string | undefined): Promise<number> {
  return (await fetch(`${origin}/v1/screenshots/${id}/image`, { headers: { authorization: `Bearer ${key}` } })).status;
}

/** Uses up the account's share of memory for unread images, so that further ones are sent from storage. */
function fillShare(t: Scope, userId: string): void {
  const unread = { raw: new EventEmitter() } as unknown as FastifyReply;
  heldImages.hold(userId, unread, [Buffer.alloc(heldBytesMax.perClientMax)]);
  t.after(() => unread.raw.emit("close"));
}

test("costs: a screenshot refused because its upload takes longer than the request is charged once it can be read", async (t) => {
  const { service, release, paid, records } = await startSlow(t);
  const { key, userId } = await service.createAccount();
  fillShare(t, userId);
  const refused = await service.take({ api_key: key, ...asked, timeout });
  assert.deepEqual([refused.status, await listed(service, key)], [429, 0]);
  release();
  await eventually("it is stored", async () => (await records(userId))[0]?.stored === true);
  assert.deepEqual([await paid(userId), await listed(service, key)], [1, 1]);
  assert.equal(await statusOf(service, key, refused.headers.get("x-screenshot-id") ?? ""), 200);
});

test("costs: if the process is killed before a screenshot's upload ends, it costs nothing and can't be read", async (t) => {
  const { service, storage, release, used, records, sweep } = await startSlow(t);
  const { key, userId } = await service.createAccount();
  const port = String(await freePort());
  const killed = spawnServer(t, { ...service.env, HOST: "127.0.0.1", PORT: port, ENABLE_METRICS: "false" });
  await killed.printed('"ready"');
  const query = new URLSearchParams({ api_key: key, ...asked, timeout, response_type: "json" });
  const answer = await fetch(`http://127.0.0.1:${port}/v1/screenshots/take?${query}`);
  assert.deepEqual([answer.status, (await answer.json()).url], [200, null]);
  killed.child.kill("SIGKILL");
  release();
  assert.ok(storage.requests.some(({ method, path }) => method === "PUT" && path.includes(".png")));
  await service.pool.query("update screenshots set lease_until = now() where user_id = $1", [userId]);
  await sweep.run();
  const [record] = await records(userId);
  assert.deepEqual([record?.status, await used(userId), await statusOf(service, key, record?.id)], ["failed", 0, 404]);
});

test("costs: a response without the image costs one once the image is stored, and nothing if storage never comes back", async (t) => {
  const closing = { deadlineMs: { requests: 30_000, work: 1_000, flush: 500, connections: 1_000 }, recordingMs: 5_000 };
  const service = await startService(t, { EGRESS_ALLOWED_HOSTS: site.host }, { closing });
  const { used, records } = createCosts(service);
  const { key, userId } = await service.createAccount();
  const several = (of: string) => service.send("POST", "/v1/captures", of, outputs);
  assert.equal((await service.take({ api_key: key, ...asked, response_type: "json" })).status, 200);
  assert.equal((await several(key)).status, 200);
  const { userId: other, key: otherKey } = await service.createAccount();
  service.services.store.put = () => Promise.reject(new Error("storage is unavailable"));
  const answers = [
    await service.take({ api_key: otherKey, ...asked, response_type: "json" }),
    await service.take({ api_key: otherKey, ...asked, response_type: "empty" }),
    await service.take({ api_key: otherKey, ...asked }, { "if-none-match": "*" }),
    await several(otherKey),
    await service.take({ api_key: otherKey, ...asked }),
  ];
  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 204, 304, 200, 200],
  );
  await service.stop(); // which gives up storing them
  assert.equal(await used(other), 1, "the image that was delivered");
  assert.deepEqual(
    (await records(other)).map(({ status, costs, stored }) => `${status} ${costs} ${stored}`),
    ["done 0 false", "done 0 false", "done 0 false", "done 0 false", "done 0 false", "done 1 false"],
  );
  assert.equal(await used(userId), 2);
});

test("costs: with workers, a screenshot whose upload takes longer than the request is a 503, costs nothing and can't be read, even once it is stored", async (t) => {
  const { service: api, release, removed, used, paid, records } = await startSlow(t, { ROLE: "api" });
  await startReplica(t, api, { ROLE: "worker" });
  const { key, userId } = await api.createAccount();
  const refused = await api.take({ api_key: key, ...asked, timeout });
  assert.deepEqual([refused.status, refused.headers.get("x-screenshot-id"), await used(userId)], [503, null, 0]);
  release();
  await eventually("the worker has removed the file", removed);
  const [record] = await records(userId);
  assert.deepEqual([await paid(userId), await listed(api, key), await statusOf(api, key, record?.id)], [0, 0, 404]);
});

test("costs: with workers, if the request's time is up before all outputs are stored, the others are delivered for one screenshot, and all are kept", async (t) => {
  const { service: api, release, paid } = await startSlow(t, { ROLE: "api" }, ".webp");
  await startReplica(t, api, { ROLE: "worker" });
  const { key, userId } = await api.createAccount();
  const { status, json } = await api.send("POST", "/v1/captures", key, { ...images, timeout: Number(timeout) });
  const [stored, late] = json.outputs;
  assert.deepEqual([status, stored.error, late.error.code], [200, undefined, "unavailable"]);
  assert.deepEqual([await listed(api, key), await statusOf(api, key, stored.id)], [1, 200]);
  release();
  assert.deepEqual([await paid(userId), await listed(api, key), await statusOf(api, key, late.id)], [1, 2, 200]);
});

test("costs: with workers, if the worker hangs once an output can be read, a 503 with its id costs one", async (t) => {
  const { service: api, used } = await startSlow(t, { ROLE: "api" }, ".webp");
  const settings = { ROLE: "worker", HOST: "127.0.0.1", PORT: String(await freePort()), ENABLE_METRICS: "false" };
  const worker = spawnServer(t, { ...api.env, ...settings });
  await worker.printed('"ready"');
  const { key, userId } = await api.createAccount();
  const asking = fetch(`${api.origin}/v1/captures`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ ...images, timeout: Number(timeout) }),
  });
  await eventually("one is listed", async () => (await listed(api, key)) === 1);
  worker.child.kill("SIGSTOP");
  t.after(() => worker.child.kill("SIGCONT"));
  const refused = await asking;
  const id = refused.headers.get("x-screenshot-id") ?? "";
  assert.deepEqual([refused.status, await used(userId), await statusOf(api, key, id)], [503, 1, 200]);
  await eventually("it is confirmed", async () => {
    const { rows } = await api.pool.query("select answer_by from captures where user_id = $1", [userId]);
    return rows[0].answer_by === null;
  });
});

test("costs: with workers, a caller who disconnects once an output can be read is charged for one screenshot, and all outputs are kept", async (t) => {
  const { service: api, release, paid } = await startSlow(t, { ROLE: "api" }, ".webp");
  await startReplica(t, api, { ROLE: "worker" });
  const { key, userId } = await api.createAccount();
  const leaving = new AbortController();
  const asking = fetch(`${api.origin}/v1/captures`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify(images),
    signal: leaving.signal,
  }).then(
    () => "answered",
    () => "left",
  );
  await eventually("one is listed", async () => (await listed(api, key)) === 1);
  const { json } = await api.send("GET", "/v1/screenshots", key);
  assert.equal(await statusOf(api, key, json.screenshots[0].id), 200);
  leaving.abort();
  assert.equal(await asking, "left");
  await eventually("the service has noticed", async () => {
    const { rows } = await api.pool.query("select answer_by from captures where user_id = $1", [userId]);
    return rows[0].answer_by === null;
  });
  release();
  assert.deepEqual([await paid(userId), await listed(api, key), await statusOf(api, key, json.screenshots[0].id)], [1, 2, 200]);
});
