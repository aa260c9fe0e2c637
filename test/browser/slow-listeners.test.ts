/** Messages that wait for a later turn of the event loop, because earlier ones took long. */

import assert from "node:assert/strict";
import { PassThrough } from "node:stream";
import { test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { openPipe } from "../../src/browser/pipe.ts";

function keepBusy(ms: number): void {
  const busy = () => {
    const { user, system } = process.threadCpuUsage(before);
    return (user + system) / 1000;
  };
  const before = process.threadCpuUsage();
  while (busy() < ms);
}

test("messages that are postponed stay in order while reading is paused and resumed", async () => {
  const messages = Array.from({ length: 400 }, (_, at) => `{"method":"Page.loadEventFired","params":{"timestamp":${at}}}`);
  const [toBrowser, fromBrowser] = [new PassThrough(), new PassThrough()];
  const seen: string[] = [];
  await new Promise<void>((resolve) => {
    const onMessage = (message: Buffer) => {
      keepBusy(1);
      seen.push(message.toString());
      if (seen.length === messages.length) resolve();
    };
    const pipe = openPipe(toBrowser, fromBrowser, { onEventRead: () => {}, onMessage, onClose: () => {} });
    fromBrowser.write(messages.map((message) => `${message}\0`).join(""));
    const interval = setInterval(() => {
      pipe.pause();
      pipe.resume();
      if (seen.length === messages.length) clearInterval(interval);
    }, 1);
  });
  assert.deepEqual(seen, messages);
});

/** @param ms time that each message takes. */
function openBrowser(ms: number) {
  const fromBrowser = new PassThrough();
  const seen: number[] = [];
  let received = Promise.withResolvers<void>();
  const onMessage = (message: Buffer) => {
    for (const until = performance.now() + ms; performance.now() < until; );
    seen.push(JSON.parse(message.toString()).params);
    received.resolve();
  };
  openPipe(new PassThrough(), fromBrowser, { onEventRead: () => {}, onMessage, onClose: () => {} });
  let sent = 0;
  return {
    seen,
    send: (count: number) => {
      received = Promise.withResolvers();
      for (let left = count; left > 0; left -= 1) fromBrowser.write(`${JSON.stringify({ method: "A", params: sent++ })}\0`);
    },
    /** Resolves with the first message since `send`. */
    first: () => received.promise,
    all: async () => {
      while (seen.length < sent) await new Promise(setImmediate);
    },
  };
}

const ascending = (count: number) => Array.from({ length: count }, (_, index) => index);

test("a browser that sends one message after another doesn't wait for the hundreds of slow ones of other browsers", async () => {
  const slow = [openBrowser(2), openBrowser(3), openBrowser(4)] as const;
  const seen = () => slow.reduce((sum, browser) => sum + browser.seen.length, 0);
  const quick = openBrowser(0);
  for (const browser of slow) browser.send(200);
  await slow[2].first();
  const waits: number[] = [];
  for (let trip = 0; trip < 10; trip += 1) {
    await setTimeout(); // data arrives when the messages that are due have had their turn
    const before = seen();
    quick.send(1);
    await quick.first();
    waits.push(seen() - before);
  }
  assert.ok(Math.max(...waits) <= 3, `waited for ${waits.join(", ")} messages`);
  for (const browser of slow) await browser.all();
  for (const browser of slow) assert.deepEqual(browser.seen, ascending(200));
});

test("browsers with slow and with quick messages get the same time, whatever they took before", async () => {
  const [slow, quick] = [openBrowser(4), openBrowser(0.5)];
  quick.send(400);
  await quick.all();
  slow.send(100);
  await slow.first();
  quick.send(200);
  await quick.all();
  // 200 messages of 0.5 ms take as long as 25 of 4 ms.
  assert.ok(slow.seen.length >= 10 && slow.seen.length <= 55, `${slow.seen.length} slow messages`);
  await slow.all();
  assert.deepEqual([slow.seen, quick.seen], [ascending(100), ascending(600)]);
});
