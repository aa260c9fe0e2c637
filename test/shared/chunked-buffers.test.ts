/** Work on large buffers is split over several turns of the event loop. */

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { createTurns, decodeBase64, joinInChunks, readInChunks, sha256 } from "../../src/shared/turns.ts";
import { longestTurnAtBest } from "../support/longest-turn.ts";

/** A turn of the event loop takes 1 to 5 ms. Processing all bytes at once takes 100 to 300 ms. */
const turnMaxMs = 60;
const parts = Array.from({ length: 96 }, (_, index) => Buffer.alloc(512 * 1024, `part ${index} `));
const bytes = Buffer.concat(parts);

test("50 MB are joined, read and hashed over several turns of the event loop", async () => {
  const { ms, result } = await longestTurnAtBest(() => joinInChunks(parts), turnMaxMs);
  assert.ok(result.equals(bytes));
  assert.ok(ms < turnMaxMs, `a turn of the event loop took ${ms} ms`);
  async function* stream() {
    for (let at = 0; at < bytes.length; at += 65_536) yield bytes.subarray(at, at + 65_536);
  }
  const read = await longestTurnAtBest(() => readInChunks(stream()), turnMaxMs);
  assert.ok(read.result.equals(bytes));
  assert.ok(read.ms < turnMaxMs, `a turn of the event loop took ${read.ms} ms`);
  const hashed = await longestTurnAtBest(() => sha256(bytes), turnMaxMs);
  assert.deepEqual(hashed.result, createHash("sha256").update(bytes).digest());
  assert.ok(hashed.ms < turnMaxMs, `a turn of the event loop took ${hashed.ms} ms`);
  assert.deepEqual(await sha256(Buffer.alloc(0)), createHash("sha256").digest());
});

test("50 MB of Base64 are decoded over several turns of the event loop", async () => {
  const text = Buffer.from(bytes.subarray(1).toString("base64"));
  const pieces = [text.subarray(0, 7), text.subarray(7, 30e6), ...Array.from(text.subarray(30e6, 30e6 + 9), (byte) => Buffer.of(byte))];
  const { ms, result } = await longestTurnAtBest(() => decodeBase64([...pieces, text.subarray(30e6 + 9)]), turnMaxMs);
  assert.ok(result.equals(bytes.subarray(1)));
  assert.ok(ms < turnMaxMs, `a turn of the event loop took ${ms} ms`);
  assert.equal((await decodeBase64([Buffer.from("YQ==")])).toString(), "a");
});

test("calls resolve in order, at most the given number per turn", async () => {
  const turn = createTurns(2);
  const ended: number[] = [];
  const calls = Promise.all([1, 2, 3, 4, 5].map((one) => turn().then(() => ended.push(one))));
  const after: number[] = [];
  for (let count = 0; count < 4; count += 1) {
    await new Promise(setImmediate);
    after.push(ended.length);
  }
  await calls;
  assert.deepEqual(
    [ended, after],
    [
      [1, 2, 3, 4, 5],
      [2, 4, 5, 5],
    ],
  );
  await turn();
});

test("as many calls resolve per turn of the event loop as the time allows, whatever their work awaits", async () => {
  const turn = createTurns(100, 10);
  let turns = 0;
  let isOver = false;
  const countTurns = async () => {
    for (; !isOver; turns += 1) await new Promise(setImmediate);
  };
  const counted = countTurns();
  const inTurns = async (count: number, ms: number) => {
    const ended = Array.from({ length: count }, async () => {
      await turn();
      for (let hop = 0; hop < 20; hop += 1) await undefined;
      for (const until = performance.now() + ms; performance.now() < until; );
      return turns;
    });
    return new Set(await Promise.all(ended)).size;
  };
  /** The least of several tries: a busy machine makes work take longer, and so more turns. */
  const leastTurns = async (count: number, ms: number) => {
    const tries: number[] = [];
    for (let left = 5; left > 0; left -= 1) tries.push(await inTurns(count, ms));
    return Math.min(...tries);
  };
  const taken = [await leastTurns(4, 11), await leastTurns(6, 6), await leastTurns(50, 0)];
  isOver = true;
  await counted;
  const [long = 0, medium = 0, short] = taken;
  assert.deepEqual([long, short], [4, 1]);
  assert.ok(medium >= 3 && medium < 6, `${medium} turns`); // two calls per turn, unless another process takes the time of one
});

test("owners take turns: one of each owner's calls resolves after another", async () => {
  const turn = createTurns(1);
  const ended: string[] = [];
  await Promise.all(["a1", "a2", "a3", "b1", "c1", "b2"].map((one) => turn(one.slice(0, 1)).then(() => ended.push(one))));
  assert.deepEqual(ended, ["a1", "b1", "c1", "a2", "b2", "a3"]);
});
