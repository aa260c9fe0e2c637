/** Large bodies of all requests are validated in shared turns of the event loop. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { readInTurns } from "../../../src/http/input/read-in-turns.ts";
import { addressOwner } from "../../../src/shared/work-owner.ts";
import { longestTurnAtBest } from "../../support/longest-turn.ts";
import { fileScope } from "../../support/scope.ts";
import { createVisitor, startWithVisitors } from "../../support/visitor.ts";

const service = await startWithVisitors(fileScope());
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
async function longestOf(count: number, path: string, body?: object | Blob): Promise<number> {
  const isForm = body instanceof Blob;
  const text = body && (isForm ? await body.text() : JSON.stringify(body));
  const type = isForm ? body.type : "application/json";
  const { ms } = await longestTurnAtBest(async () => {
    const { key } = await service.createAccount();
    const headers = { authorization: `Bearer ${key}`, ...(text && { "content-type": type }) };
    const send = async () => {
      const { status } = await fetch(`${service.origin}${path}`, { headers, ...(text && { method: "POST", body: text }) });
      return status;
    };
    assert.deepEqual(new Set(await Promise.all(Array.from({ length: count }, send))), new Set([400]));
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

const unknownNames = (count: number) => Object.fromEntries(texts(count, "k").map((name) => [name, 1]));

for (const [path, names] of [
  ["/v1/screenshots/take", 1_400],
  ["/chromium/screenshot", 1_400],
  ["/v1/screenshots/take", 200],
] as const)
  test(`bodies of ${names} names for ${path} that arrive together are read in turns of at most 60 ms altogether`, async () => {
    const ms = await longestOf(250, path, unknownNames(names));
    assert.ok(ms < 60, `a turn of the event loop took ${ms} ms`);
  });

for (const [count, parts] of [
  [60, 195],
  [100, 15], // more of one account may not wait
] as const)
  test(`${count} forms of ${parts} parts that arrive together are read in turns of at most 60 ms altogether`, async () => {
    const form = new FormData();
    for (const name of ["index.html", ...texts(parts - 2, "f")]) form.append("files", new Blob(["x"]), name);
    form.append("waitDelay", "zz");
    const ms = await longestOf(count, "/forms/chromium/convert/html", await new Response(form).blob());
    assert.ok(ms < 60, `a turn of the event loop took ${ms} ms`);
  });

test("short bodies that arrive together are validated in turns of at most 60 ms altogether", async () => {
  const ms = await longestOf(250, "/v1/watches", { url: "http://a/", cron: "0,59 0,23 29 2 +7", format: "bogus" });
  assert.ok(ms < 60, `a turn of the event loop took ${ms} ms`);
});

test("long queries that arrive together are read in turns of at most 60 ms altogether", async () => {
  const steps = JSON.stringify(texts(1_500, "#a").map((click) => ({ click })));
  const path = `/v1/screenshots/take?${new URLSearchParams({ url: "nope", steps })}`;
  const ms = await longestOf(150, path);
  assert.ok(ms < 60, `a turn of the event loop took ${ms} ms`);
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

/** How many turns of an owner that has a hundred waiting came before the response to a request. */
async function turnsBefore(owner: string, send: () => Promise<number>): Promise<number> {
  let turns = 0;
  const stepped = () => {
    turns += 1;
  };
  const leave = new AbortController();
  const waiting = Array.from({ length: 100 }, () => readInTurns(slow(30, stepped), owner, leave.signal));
  assert.equal(await send(), 400);
  const before = turns;
  leave.abort();
  await Promise.allSettled(waiting);
  return before;
}

test("short bodies take their turn as well, behind others of the account, or without a key of the address", async () => {
  const { key, userId } = await service.createAccount();
  const ofAccount = await turnsBefore(userId, async () => (await service.send("POST", "/v1/watches", key, { url: 1 })).status);
  assert.ok(ofAccount >= 80, `${ofAccount} turns`);
  const signIn = async () => {
    const from = { "x-forwarded-for": "192.0.2.7" };
    return (await createVisitor(service).ask("POST", "/v1/auth/sign-in", { email: 1 }, from)).status;
  };
  const ofAddress = await turnsBefore(addressOwner("192.0.2.7"), signIn);
  assert.ok(ofAddress >= 80, `${ofAddress} turns`);
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
