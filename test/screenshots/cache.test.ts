/** The cache finds earlier captures, and misses instead of failing. */

import assert from "node:assert/strict";
import { createHash, randomUUID } from "node:crypto";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { type TestContext, test } from "node:test";
import { v7 as uuidV7 } from "uuid";
import { createCaptureCache } from "../../src/screenshots/take/cache.ts";
import type { CacheEntry } from "../../src/screenshots/take/cache-entry.ts";
import { objectKey } from "../../src/storage/link.ts";
import { s3Store, startStorage, storageSettings } from "../storage/storage-server.ts";
import { createTestClock } from "../support/clock.ts";
import { logLines } from "./log-lines.ts";
import { startRedisProxy } from "./redis-proxy.ts";

const never = new AbortController().signal;
const start = 1_700_000_000_000;
const image = Buffer.alloc(3_000_000, "image");
/** Small enough to be kept in memory. */
const smallImage = Buffer.alloc(50_000, "small image");

function identityOf(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

function entry(more: Partial<CacheEntry> = {}): CacheEntry {
  const id = uuidV7();
  const verdict = { kind: "ok" as const, confidence: 0.9, reasons: [] };
  const facts = { verdict, targetStatus: 200, finalUrl: "https://example.com/é", title: "Grüße", warnings: ["cut"], capturedAt: start };
  return {
    id,
    objectKey: objectKey(id, "png"),
    etag: '"abc"',
    format: "png",
    bytes: image.length,
    width: 10,
    height: 20,
    ...facts,
    ...more,
  };
}

async function setUp(t: TestContext, commandTimeoutMs?: number) {
  const server = await startStorage(t);
  const store = s3Store(t, storageSettings(server.port));
  await store.prepare(never);
  const proxy = await startRedisProxy(t, commandTimeoutMs);
  const clock = createTestClock(new Date(start));
  const lines = logLines();
  const replica = () => createCaptureCache({ redis: proxy.redis, store, memoryBytesMax: 1_000_000, clock, log: lines.log });
  const cache = replica();
  const put = (cached: CacheEntry, bytes = image) => store.put(cached.objectKey, bytes, { contentType: "image/png", metadata: {} }, never);
  return { cache, replica, store, server, proxy, clock, put, account: randomUUID(), identity: identityOf("a"), ...lines };
}

test("a remembered screenshot is found with its whole entry, and its image is read from storage", async (t) => {
  const { cache, put, account, identity } = await setUp(t);
  const remembered = entry();
  await put(remembered);
  await cache.remember(account, identity, remembered, 60);
  const found = await cache.find(account, identity, 60);
  assert.ok(found);
  const { indexKey, ...facts } = found;
  assert.deepEqual(facts, remembered);
  assert.ok(indexKey.includes(account));
  const stream = await cache.open(found, never);
  assert.ok(stream instanceof Readable);
  assert.ok(image.equals(await buffer(stream)));
});

test("a small image is read from storage once, and from memory afterwards", async (t) => {
  const { cache, put, server, account, identity } = await setUp(t);
  const remembered = entry({ bytes: smallImage.length });
  await put(remembered, smallImage);
  await cache.remember(account, identity, remembered, 60);
  const found = await cache.find(account, identity, 60);
  assert.ok(found);
  assert.deepEqual(await cache.open(found, never), smallImage);
  await server.stop();
  assert.deepEqual(await cache.open(found, never), smallImage);
});

test("a forgotten screenshot is not found by any replica, even with its image in memory", async (t) => {
  const { cache, replica, put, account, identity } = await setUp(t);
  const other = replica();
  const remembered = entry({ bytes: smallImage.length });
  await put(remembered, smallImage);
  await cache.remember(account, identity, remembered, 60);
  for (const one of [cache, other]) {
    const found = await one.find(account, identity, 60);
    assert.deepEqual(found && (await one.open(found, never)), smallImage);
  }
  await cache.forget(account, identity, remembered.id);
  for (const one of [cache, other]) assert.equal(await one.find(account, identity, 60), undefined);
});

test("a lookup that starts after `forget` doesn't share the result of an earlier one", async (t) => {
  const { cache, account, identity } = await setUp(t);
  const remembered = entry();
  await cache.remember(account, identity, remembered, 60);
  const before = cache.find(account, identity, 60);
  const forgetting = cache.forget(account, identity, remembered.id);
  assert.equal((await before)?.id, remembered.id);
  const stillAsking = cache.find(account, identity, 60);
  await forgetting;
  const after = cache.find(account, identity, 60);
  await stillAsking;
  assert.equal(await after, undefined);
});

test("`forget` keeps a newer screenshot with the same options", async (t) => {
  const { cache, account, identity } = await setUp(t);
  const [older, newer] = [entry(), entry()];
  await cache.remember(account, identity, older, 60);
  await cache.remember(account, identity, newer, 60);
  await cache.forget(account, identity, older.id);
  assert.equal((await cache.find(account, identity, 60))?.id, newer.id);
  await cache.forget(account, identityOf("b"), older.id);
});

test("`forget` rejects if Redis fails", async (t) => {
  const { cache, proxy, account, identity } = await setUp(t, 250);
  const remembered = entry();
  await cache.remember(account, identity, remembered, 60);
  proxy.block();
  await assert.rejects(cache.forget(account, identity, remembered.id), /Command timed out/);
  await proxy.cut();
  await assert.rejects(cache.forget(account, identity, remembered.id));
});

test("a screenshot is found only by its own account and identity", async (t) => {
  const { cache, account, identity } = await setUp(t);
  await cache.remember(account, identity, entry(), 60);
  assert.equal(await cache.find(randomUUID(), identity, 60), undefined);
  assert.equal(await cache.find(account, identityOf("b"), 60), undefined);
  assert.ok(await cache.find(account, identity, 60));
});

test("a screenshot is found until it reaches the request's maximum age", async (t) => {
  const { cache, clock, account, identity } = await setUp(t);
  await cache.remember(account, identity, entry(), 3600);
  clock.advance(59_999);
  assert.ok(await cache.find(account, identity, 60));
  clock.advance(1);
  assert.equal(await cache.find(account, identity, 60), undefined);
  assert.ok(await cache.find(account, identity, 120));
});

test("Redis removes an entry when its retention ends", async (t) => {
  const { cache, proxy, account, identity } = await setUp(t);
  await cache.remember(account, identity, entry(), 1234);
  const found = await cache.find(account, identity, 60);
  const ttl = await proxy.redis.ttl(found?.indexKey ?? "");
  assert.ok(ttl > 1200 && ttl <= 1234, String(ttl));
});

test("an entry whose image is no longer in storage is removed and counts as a miss", async (t) => {
  const { cache, account, identity } = await setUp(t);
  await cache.remember(account, identity, entry(), 60);
  const found = await cache.find(account, identity, 60);
  assert.ok(found);
  assert.equal(await cache.open(found, never), undefined);
  assert.equal(await cache.find(account, identity, 60), undefined);
});

test("a stored image whose length differs from its entry's is not served", async (t) => {
  const { cache, put, account, identity } = await setUp(t);
  const wrong = entry({ bytes: image.length - 1 });
  await put(wrong);
  await cache.remember(account, identity, wrong, 60);
  const found = await cache.find(account, identity, 60);
  assert.ok(found);
  assert.equal(await cache.open(found, never), undefined);
  assert.equal(await cache.find(account, identity, 60), undefined);
});

const unreadable: [what: string, text: string][] = [
  ["is empty", ""],
  ["isn't JSON", "{"],
  ["is null", "null"],
  ["is a list", "[]"],
  ["lacks its fields", "{}"],
  ["has an unknown format", JSON.stringify({ ...entry(), format: "bmp" })],
  ["has text in place of a number", JSON.stringify({ ...entry(), bytes: "1" })],
  ["has a warning that isn't text", JSON.stringify({ ...entry(), warnings: [1] })],
];

for (const [what, text] of unreadable) {
  test(`an entry that ${what} counts as a miss and is removed`, async (t) => {
    const { cache, proxy, account, identity, messages } = await setUp(t);
    await cache.remember(account, identity, entry(), 60);
    const indexKey = (await cache.find(account, identity, 60))?.indexKey ?? "";
    await proxy.redis.set(indexKey, text, "EX", 60);
    assert.equal(await cache.find(account, identity, 60), undefined);
    assert.equal(await proxy.redis.exists(indexKey), 0);
    assert.deepEqual(messages(40), ["removed an unreadable cache entry"]);
  });
}

test("without Redis, every lookup misses, and the outage is logged once", async (t) => {
  const { cache, proxy, account, identity, messages } = await setUp(t);
  await cache.remember(account, identity, entry(), 60);
  await proxy.cut();
  for (let turn = 0; turn < 3; turn += 1) assert.equal(await cache.find(account, identity, 60), undefined);
  await cache.remember(account, identityOf("b"), entry(), 60);
  assert.deepEqual(messages(40), ["the cache index is unavailable: requests are not served from the cache"]);
  await proxy.mend();
  assert.ok(await cache.find(account, identity, 60));
  assert.deepEqual(messages(30).at(-1), "the cache index is available again");
  await proxy.cut();
  assert.equal(await cache.find(account, identity, 60), undefined);
  assert.equal(messages(40).length, 2);
});

test("a Redis that accepts commands but never responds counts as a miss", async (t) => {
  const { cache, proxy, account, identity, messages } = await setUp(t, 250);
  await cache.remember(account, identity, entry(), 60);
  proxy.block();
  assert.equal(await cache.find(account, identity, 60), undefined);
  assert.equal(messages(40).length, 1);
});

test("while storage is down, an entry counts as a miss, but stays in the index", async (t) => {
  const { cache, server, account, identity, messages } = await setUp(t);
  await cache.remember(account, identity, entry(), 60);
  await server.stop();
  for (let turn = 0; turn < 2; turn += 1) {
    const found = await cache.find(account, identity, 60);
    assert.ok(found);
    assert.equal(await cache.open(found, never), undefined);
  }
  assert.deepEqual(messages(40), ["the storage of cached images is unavailable: requests are not served from the cache"]);
});

test("a client that disconnects ends the wait for storage", async (t) => {
  const { cache, server, account, identity, messages } = await setUp(t);
  await cache.remember(account, identity, entry(), 60);
  const found = await cache.find(account, identity, 60);
  assert.ok(found);
  const gone = new AbortController();
  const reason = new Error("the client has disconnected");
  const held = Promise.withResolvers<undefined>();
  t.after(() => held.resolve(undefined));
  server.before = () => {
    gone.abort(reason);
    return held.promise;
  };
  await assert.rejects(cache.open(found, gone.signal), reason);
  assert.deepEqual(messages(40), []);
});

test("an image is read from storage no faster than it is consumed", async (t) => {
  const { cache, put, account, identity } = await setUp(t);
  const remembered = entry();
  await put(remembered);
  await cache.remember(account, identity, remembered, 60);
  const found = await cache.find(account, identity, 60);
  assert.ok(found);
  const stream = await cache.open(found, never);
  assert.ok(stream instanceof Readable);
  let taken = 0;
  for await (const chunk of stream) {
    taken += chunk.length;
    const waiting: number = chunk.length + stream.readableLength;
    assert.ok(waiting < image.length / 4, `${waiting} bytes are in memory`);
  }
  assert.equal(taken, image.length);
});

test("an image stored late doesn't replace a newer one", async (t) => {
  const { cache, account, identity } = await setUp(t);
  const newer = entry({ capturedAt: start });
  await cache.remember(account, identity, newer, 60);
  await cache.remember(account, identity, entry({ capturedAt: start - 30_000 }), 60);
  assert.equal((await cache.find(account, identity, 60))?.id, newer.id);
});
