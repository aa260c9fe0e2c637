/** What is read from a browser: in order, in small steps, and no more than one page may cause. */

import assert from "node:assert/strict";
import { once } from "node:events";
import { PassThrough } from "node:stream";
import { test } from "node:test";
import { createEventBudget } from "../../src/browser/event-budget.ts";
import { connect } from "../../src/browser/protocol.ts";

const megabyte = 1024 * 1024;

/** A connection, and the browser's end of it. */
function openConnection() {
  const [toBrowser, fromBrowser] = [new PassThrough(), new PassThrough({ highWaterMark: 64 * megabyte })];
  const connection = connect(toBrowser, fromBrowser);
  let exceeded = 0;
  connection.limitEvents(() => {
    exceeded += 1;
  });
  return {
    ...connection,
    exceeded: () => exceeded,
    /** Everything in one chunk. */
    says: (...messages: object[]) => void fromBrowser.write(`${messages.map((message) => JSON.stringify(message)).join("\0")}\0`),
    fromBrowser,
  };
}

const loaded = (timestamp: number, padding = "") => ({ method: "Page.loadEventFired", params: { timestamp, padding } });
const events = (count: number) => Array.from({ length: count }, (_, index) => loaded(index));
/** One turn of the event loop: whatever else the process has to do is done in it. */
const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

test("messages arrive in order, also when one comes in pieces", async () => {
  const { browser, fromBrowser } = openConnection();
  const seen: number[] = [];
  const done = new Promise<void>((resolve) => {
    browser.on("Page.loadEventFired", ({ timestamp }) => {
      seen.push(timestamp);
      if (seen.length === 1_000) resolve();
    });
  });
  const bytes = Buffer.from(
    events(1_000)
      .map((event) => `${JSON.stringify(event)}\0`)
      .join(""),
  );
  for (let at = 0; at < bytes.length; at += 777) fromBrowser.write(bytes.subarray(at, at + 777));
  await done;
  assert.deepEqual(
    seen,
    Array.from({ length: 1_000 }, (_, index) => index),
  );
});

test("an event right behind an answer reaches code that listens for it only when it has the answer", async () => {
  const { browser, says } = openConnection();
  const answer = browser.send("Browser.getVersion");
  says({ id: 1, result: { product: "x" } }, loaded(7));
  await answer;
  const { timestamp } = await new Promise<{ timestamp: number }>((resolve) => browser.on("Page.loadEventFired", resolve));
  assert.equal(timestamp, 7);
});

test("a flood of events is read in small steps: other work of the process has its turn in between", async () => {
  const { browser, says } = openConnection();
  let seen = 0;
  browser.on("Page.loadEventFired", () => {
    seen += 1;
  });
  says(...events(5_000));
  let longestStep = 0;
  for (let before = 0; seen < 5_000; before = seen) {
    await nextTurn();
    longestStep = Math.max(longestStep, seen - before);
  }
  assert.ok(longestStep <= 100, `${longestStep} events in one step`);
});

test("more events than a page may cause close the pipe, once, and every call that waits is rejected", async () => {
  const { browser, says, exceeded, isOpen, fromBrowser } = openConnection();
  const waiting = assert.rejects(browser.send("Browser.getVersion"), /Target closed/);
  for (let chunk = 0; chunk < 30; chunk += 1) says(...events(1_000));
  await waiting;
  assert.equal(exceeded(), 1);
  assert.equal(isOpen(), false);
  assert.ok(fromBrowser.destroyed);
});

test("events that nothing listens to are counted, too", async () => {
  const { says, exceeded, isOpen } = openConnection();
  for (let chunk = 0; chunk < 30; chunk += 1) says(...events(1_000));
  while (isOpen()) await nextTurn();
  assert.equal(exceeded(), 1);
});

test("an event of dozens of megabytes closes the pipe before it is whole; an answer may be as long", async () => {
  const text = "x".repeat(48 * megabyte);
  const { browser, says, exceeded, isOpen, fromBrowser } = openConnection();
  const answer = browser.send("Browser.getVersion");
  says({ id: 1, result: { product: text } });
  assert.equal((await answer).product.length, text.length);
  fromBrowser.write(`{"method":"Page.javascriptDialogOpening","params":{"message":"${text}`);
  if (!fromBrowser.destroyed) await once(fromBrowser, "close");
  assert.deepEqual([exceeded(), isOpen()], [1, false]);
});

test("the limits are for one capture: the next one begins from zero", async () => {
  const { browser, says, limitEvents, isOpen } = openConnection();
  for (let capture = 0; capture < 5; capture += 1) {
    limitEvents(() => {});
    let seen = 0;
    browser.on("Page.loadEventFired", () => {
      seen += 1;
    });
    says(...events(8_000));
    while (seen < 8_000) await nextTurn();
  }
  assert.ok(isOpen());
});

test("events have a limit for each second and one in all, by number and by length", () => {
  let now = 0;
  const spendUntilRefused = (budget: ReturnType<typeof createEventBudget>, bytes: number, everyMs: number) => {
    let spent = 0;
    for (; budget.spend(bytes); spent += 1) now += everyMs;
    return spent;
  };
  const budget = () => createEventBudget(() => now);
  assert.equal(spendUntilRefused(budget(), 1, 0), 10_000);
  assert.equal(spendUntilRefused(budget(), 1, 1), 20_000);
  assert.equal(spendUntilRefused(budget(), megabyte, 0), 32);
  assert.equal(spendUntilRefused(budget(), megabyte, 100), 128);
});
