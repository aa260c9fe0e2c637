/** Large bodies of all requests are validated in shared turns of the event loop. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { createJsonBody } from "../../../src/http/input/json-body.ts";
import { readInTurns } from "../../../src/http/input/read-in-turns.ts";
import { longestTurnAtBest } from "../../support/longest-turn.ts";
import { fileScope } from "../../support/scope.ts";
import { startService } from "../../support/service.ts";

const service = await startService(fileScope());
const never = new AbortController().signal;
const stepNothing = () => {};
const texts = (count: number, start: string) => Array.from({ length: count }, (_, index) => `${start}${index}`);

/** Takes more than a turn's time per step, and calls `stepped` after each. */
function* slow(steps: number, stepped: () => void): Generator<void, void> {
  for (let step = 0; step < steps; step += 1) {
    for (const until = performance.now() + 11; performance.now() < until; );
    stepped();
    yield;
  }
}

/** The longest turn while an account sends `count` equal requests at once, all of which must be refused. */
async function longestOf(count: number, path: string, body: object): Promise<number> {
  const { ms } = await longestTurnAtBest(async () => {
    const { key } = await service.createAccount();
    const sent = await Promise.all(Array.from({ length: count }, () => service.send("POST", path, key, body)));
    assert.deepEqual(new Set(sent.map(({ status }) => status)), new Set([400]));
  }, 60);
  return ms;
}

test("batches that arrive together are validated in turns of at most 60 ms altogether", async () => {
  const captures = Array.from({ length: 100 }, (_, width) => ({ url: `http://a/${width}`, width }));
  const ms = await longestOf(60, "/v1/batches", { shared: { url: "nope" }, captures });
  assert.ok(ms < 60, `a turn of the event loop took ${ms} ms`);
});

test("captures with many outputs that arrive together are validated in turns of at most 60 ms altogether", async () => {
  const lists = {
    hide_selectors: texts(90, "a"),
    mask_selectors: texts(90, "a"),
    block_requests: texts(80, "*/x"),
    headers: texts(40, "x: "),
  };
  const outputs = Array.from({ length: 20 }, (_, index) => ({ name: `o${index}`, ...lists, cookies: texts(40, "a=") }));
  const ms = await longestOf(60, "/v1/captures", { url: "nope", outputs });
  assert.ok(ms < 60, `a turn of the event loop took ${ms} ms`);
});

test("bodies of over 16 KB that arrive together are parsed, and then validated, in a turn each", async () => {
  const bytes = Buffer.from(JSON.stringify({ text: "a".repeat(20_000) }));
  let turn = 0;
  let isOver = false;
  const countTurns = async () => {
    for (; !isOver; turn += 1) await nextTurn();
  };
  const counted = countTurns();
  const turns = await Promise.all(
    Array.from({ length: 5 }, () =>
      createJsonBody(bytes)
        .read()
        .then(() => turn),
    ),
  );
  isOver = true;
  await counted;
  assert.equal(new Set(turns).size, 5, String(turns));
});

test("accounts take turns: one account's many bodies delay another's by one turn each time", async () => {
  const stepsOfFirst: number[] = [];
  const leave = new AbortController();
  const first = Array.from({ length: 60 }, () =>
    readInTurns(
      slow(3, () => void stepsOfFirst.push(1)),
      "first",
      leave.signal,
    ),
  );
  await readInTurns(slow(3, stepNothing), "second", never);
  assert.ok(stepsOfFirst.length <= 5, `${stepsOfFirst.length} turns of the first account came before`);
  leave.abort();
  await Promise.allSettled(first);
});

test("the rest of a body isn't validated once its client has left", async () => {
  const leave = new AbortController();
  let steps = 0;
  const left = () => {
    steps += 1;
    leave.abort(new Error("left"));
  };
  await assert.rejects(readInTurns(slow(100, left), "account", leave.signal), /left/);
  assert.equal(steps, 1);
});
