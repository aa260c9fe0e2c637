/** Failing reads of stored images. */

import assert from "node:assert/strict";
import { Readable } from "node:stream";
import { test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { readWhole } from "../../src/storage/read-stored.ts";

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
