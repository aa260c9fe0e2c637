/** Failing reads of stored images. */

import assert from "node:assert/strict";
import { Readable } from "node:stream";
import { test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { openFile, readWhole } from "../../src/storage/read-stored.ts";

test("a read ends when its signal aborts, even if storage ignores the abort and keeps sending", { timeout: 5_000 }, async () => {
  async function* drops() {
    for (;;) {
      yield Buffer.from("a");
      await setTimeout(5);
    }
  }
  const stream = Readable.from(drops());
  const store = { get: async () => ({ stream, bytes: 1_000_000, contentType: "image/png" }) };
  const left = new Error("left");
  const leaving = new AbortController();
  const reading = readWhole(store, "key", leaving.signal);
  await setTimeout(50);
  leaving.abort(left);
  await assert.rejects(reading, left);
  assert.ok(stream.destroyed);
});

test("never more bytes are read than storage or the record says, even if storage has no end", async () => {
  let sent = 0;
  async function* endless() {
    for (; sent < 100_000; sent += 1) yield Buffer.alloc(1_000);
  }
  const asked: unknown[] = [];
  const store = {
    get: async (_key: string, _signal: AbortSignal, range: unknown) => {
      asked.push(range);
      return { stream: Readable.from(endless()), bytes: 20_500, contentType: "image/png" };
    },
  };
  const file = await openFile(store, "key", new AbortController().signal, { bytes: 20_500 });
  let received = 0;
  const reading = (async () => {
    for await (const chunk of file?.chunks ?? []) received += chunk.length;
  })();
  await assert.rejects(reading, { name: "DamagedFile", message: "object storage sent more than 20500 bytes" });
  assert.equal(received, 20_000);
  assert.ok(sent < 200, `storage sent ${sent} KB`);
  assert.deepEqual(asked, [{ bytes: 20_500 }, { from: 20_000, bytes: 20_500 }]);
});
