/** Storing images while the response is sent: retries, limits, shutdown. */

import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { StorageServer } from "../storage/storage-server.ts";
import { image, never, setUp } from "./archive-parts.ts";

/** Holds up every upload until it is released. */
function holdUploads(t: TestContext, server: StorageServer) {
  const held = Promise.withResolvers<undefined>();
  const arrived = Promise.withResolvers<void>();
  server.before = ({ method }) => {
    if (method !== "PUT") return undefined;
    arrived.resolve();
    return held.promise;
  };
  const release = () => held.resolve(undefined);
  t.after(release);
  return { release, arrived: arrived.promise };
}

test("an image is in storage when its key is reported", async (t) => {
  const { archive, store, outcomes, done, counted } = await setUp(t);
  const kept = image();
  const key = await archive.keep(kept, done);
  assert.match(key ?? "", new RegExp(`^screenshots/\\d{4}/\\d\\d/\\d\\d/${kept.id}\\.webp$`));
  assert.deepEqual(outcomes, [key]);
  const found = await store.get(key ?? "", never);
  found?.stream.destroy();
  assert.deepEqual({ bytes: found?.bytes, contentType: found?.contentType }, { bytes: 1000, contentType: "image/webp" });
  assert.equal(await counted("stored"), 1);
  assert.deepEqual(archive.pending(), { count: 0, bytes: 0 });
});

test("`keep` returns while the image is still being stored", async (t) => {
  const { archive, server, outcomes, done } = await setUp(t);
  const { release, arrived } = holdUploads(t, server);
  const outcome = archive.keep(image(), done);
  await arrived;
  assert.deepEqual(archive.pending(), { count: 1, bytes: 1000 });
  assert.deepEqual(outcomes, []);
  release();
  assert.equal(typeof (await outcome), "string");
});

test("an attempt that hangs is aborted and retried", async (t) => {
  const { archive, server, done, counted } = await setUp(t, { tryTimeoutMs: 500 });
  const held = Promise.withResolvers<undefined>();
  t.after(() => held.resolve(undefined));
  let uploads = 0;
  server.before = () => {
    uploads += 1;
    return uploads === 1 ? held.promise : undefined;
  };
  // The first response never arrives; a busy machine may need a third attempt.
  assert.equal(typeof (await archive.keep(image(), done)), "string");
  assert.ok((await counted("retried")) >= 1);
});

test("images beyond the memory limit are dropped immediately; those within it are stored", async (t) => {
  const { archive, server, done, counted, messages } = await setUp(t, { pendingBytesMax: 2_500 });
  const { release } = holdUploads(t, server);
  const within = [archive.keep(image(1000), done), archive.keep(image(1500), done)];
  assert.equal(await archive.keep(image(1), done), null);
  assert.deepEqual(archive.pending(), { count: 2, bytes: 2500 });
  assert.equal(await counted("lost"), 1);
  assert.equal(messages(50).length, 1);
  release();
  assert.ok((await Promise.all(within)).every((key) => key !== null));
  assert.equal(typeof (await archive.keep(image(2500), done)), "string");
});

test("an account's images use at most half of the memory, so that another account's are stored", async (t) => {
  const { archive, server, done } = await setUp(t, { pendingBytesMax: 4_000 });
  const { release } = holdUploads(t, server);
  const within = [archive.keep(image(1000, "a"), done), archive.keep(image(1000, "a"), done)];
  assert.equal(await archive.keep(image(1, "a"), done), null);
  within.push(archive.keep(image(2000, "b"), done));
  release();
  assert.ok((await Promise.all(within)).every((key) => key !== null));
});

test("an image that may wait is stored once its account has room, and tells when that is", async (t) => {
  const { archive, server, done } = await setUp(t, { pendingBytesMax: 4_000 });
  const { release } = holdUploads(t, server);
  const admitted: string[] = [];
  const patient = (bytes: number, name: string) => archive.keep({ ...image(bytes, "a"), onAdmitted: () => void admitted.push(name) }, done);
  const stored = ["first", "second", "third", "fourth"].map((name) => patient(1500, name));
  await nextTurn();
  assert.deepEqual([admitted, archive.pending()], [["first"], { count: 4, bytes: 1500 }]);
  stored.push(archive.keep(image(2000, "b"), done));
  assert.equal(archive.pending().bytes, 3500, "another account has its share");
  release();
  assert.ok((await Promise.all(stored)).every((key) => key !== null));
  assert.deepEqual(admitted, ["first", "second", "third", "fourth"]);
  assert.equal(archive.pending().bytes, 0);
});

test("an image that has waited too long for room is dropped", async (t) => {
  const { archive, server, done, outcomes } = await setUp(t, { pendingBytesMax: 2_000, roomWaitMs: 100 });
  const { release } = holdUploads(t, server);
  const first = archive.keep(image(1000, "a"), done);
  const admitted = Promise.withResolvers<void>();
  assert.equal(await archive.keep({ ...image(1000, "a"), onAdmitted: admitted.resolve }, done), null);
  await admitted.promise;
  release();
  assert.notEqual(await first, null);
  assert.deepEqual([outcomes.length, archive.pending()], [2, { count: 0, bytes: 0 }]);
});

test("a record that can't be written is logged and affects nothing else", async (t) => {
  const { archive, messages, done } = await setUp(t);
  const failing = async () => {
    throw new Error("database away");
  };
  const throwing = () => {
    throw new Error("thrown synchronously");
  };
  assert.equal(typeof (await archive.keep(image(), failing)), "string");
  assert.equal(typeof (await archive.keep(image(), throwing)), "string");
  assert.deepEqual(messages(50), ["failed to write the record of an image", "failed to write the record of an image"]);
  assert.deepEqual(archive.pending(), { count: 0, bytes: 0 });
  assert.equal(typeof (await archive.keep(image(), done)), "string");
});

test("an image whose record refuses it is removed again", async (t) => {
  const { archive, store } = await setUp(t);
  const keys: (string | null)[] = [];
  const refused = async (key: string | null) => {
    keys.push(key);
    return false;
  };
  assert.equal(await archive.keep(image(), refused), null);
  assert.equal(await store.get(keys[0] ?? "", never), undefined);
});

test("draining waits for every image and its record", async (t) => {
  const { archive, server, outcomes, done } = await setUp(t);
  const { release, arrived } = holdUploads(t, server);
  const others = [archive.keep(image(), done), archive.keep(image(), done)];
  archive.keep(image(), async (key) => {
    await Promise.all(others);
    await nextTurn();
    return await done(key);
  });
  await arrived;
  const drained = archive.drain(never);
  release();
  assert.equal(await drained, 0);
  assert.equal(outcomes.filter((key) => key !== null).length, 3);
});

test("draining returns the number of abandoned images, and reports them as lost", async (t) => {
  const { archive, server, outcomes, done, messages } = await setUp(t);
  const { arrived } = holdUploads(t, server);
  const kept = [archive.keep(image(), done), archive.keep(image(), done)];
  await arrived;
  assert.equal(await archive.drain(AbortSignal.abort()), 2);
  assert.ok(messages(40).includes("abandoned images that were still being stored"));
  assert.deepEqual(await Promise.all(kept), [null, null]);
  assert.equal(await archive.keep(image(), done), null);
  assert.deepEqual(outcomes, [null, null, null]);
});

test("an image waiting for its next attempt is abandoned as well", async (t) => {
  const waiting = Promise.withResolvers<void>();
  const pause = (_ms: number, signal: AbortSignal) =>
    new Promise<void>((_, reject) => {
      waiting.resolve();
      signal.addEventListener("abort", () => reject(signal.reason), { once: true });
    });
  const { archive, gate, done } = await setUp(t, { pause });
  await gate.refuse();
  const kept = archive.keep(image(), done);
  await waiting.promise;
  assert.equal(await archive.drain(AbortSignal.abort()), 1);
  assert.equal(await kept, null);
});
