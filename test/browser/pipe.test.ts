/** Reading from a browser: in order, in small steps, and within a page's event budget. */

import assert from "node:assert/strict";
import { randomFillSync } from "node:crypto";
import { once } from "node:events";
import { PassThrough } from "node:stream";
import { test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { openPipe } from "../../src/browser/pipe.ts";
import { connect, createEventBudget } from "../../src/browser/protocol.ts";
import { longestTurnAtBest } from "../support/longest-turn.ts";

const megabyte = 1024 * 1024;
/** A turn of the event loop takes a few milliseconds. Joining and parsing the whole response at once takes 100 ms. */
const imageTurnMaxMs = 40;

interface Command {
  id: number;
  method: string;
}

/** A connection, and the browser's end of it. The browser responds to the commands of the handshake, and to nothing else by itself. */
async function openConnection() {
  const [toBrowser, fromBrowser] = [new PassThrough(), new PassThrough({ highWaterMark: 64 * megabyte })];
  const unanswered: Command[] = [];
  /** Writes all messages in one chunk. */
  const send = (...messages: object[]) => void fromBrowser.write(`${messages.map((message) => JSON.stringify(message)).join("\0")}\0`);
  const onCommand = (command: Command) => {
    unanswered.push(command);
    if (!isConnected)
      for (const { id, method } of unanswered.splice(0))
        send(...(handshakeEvents[method] ?? []), { id, result: handshakeResults[method] ?? {} });
  };
  toBrowser.on("data", (chunk: Buffer) => {
    for (const text of chunk.toString().split("\0").filter(Boolean)) onCommand(JSON.parse(text));
  });
  let isConnected = false;
  const connection = await connect(toBrowser, fromBrowser);
  isConnected = true;

  let exceeded = 0;
  connection.limitEvents(() => {
    exceeded += 1;
  });
  return {
    ...connection,
    exceeded: () => exceeded,
    send,
    /** The response to the oldest command that has none yet. */
    response: (result: object) => ({ id: unanswered.shift()?.id, result }),
    fromBrowser,
  };
}

const browserTarget = { targetId: "browser", type: "browser", title: "", url: "", attached: true, canAccessOpener: false };
const handshakeEvents: Record<string, object[]> = {
  "Target.setDiscoverTargets": [{ method: "Target.targetCreated", params: { targetInfo: browserTarget } }],
  "Target.attachToTarget": [
    { method: "Target.attachedToTarget", params: { sessionId: "one", targetInfo: browserTarget, waitingForDebugger: false } },
  ],
};
const handshakeResults: Record<string, object> = {
  "Target.getBrowserContexts": { browserContextIds: [] },
  "Target.attachToTarget": { sessionId: "one" },
};

const loaded = (timestamp: number, padding = "") => ({ method: "Page.loadEventFired", params: { timestamp, padding } });
const events = (count: number) => Array.from({ length: count }, (_, index) => loaded(index));
/** One turn of the event loop, in which the process can do other work. */
const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

test("messages arrive in order, even when split across chunks", async () => {
  const { browser, fromBrowser } = await openConnection();
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

test("code that awaits a response and then listens for an event doesn't miss one that directly follows the response", async () => {
  const { browser, send, response } = await openConnection();
  const answer = browser.send("Browser.getVersion");
  await nextTurn();
  send(response({ product: "x" }), loaded(7));
  await answer;
  const { timestamp } = await new Promise<{ timestamp: number }>((resolve) => browser.on("Page.loadEventFired", resolve));
  assert.equal(timestamp, 7);
});

test("a flood of events is read in small steps that let other work run in between", async () => {
  const { browser, send } = await openConnection();
  let seen = 0;
  browser.on("Page.loadEventFired", () => {
    seen += 1;
  });
  send(...events(5_000));
  let longestStep = 0;
  for (let before = 0; seen < 5_000; before = seen) {
    await nextTurn();
    longestStep = Math.max(longestStep, seen - before);
  }
  assert.ok(longestStep <= 100, `${longestStep} events in one step`);
  const padding = "x".repeat(2 * megabyte);
  send(...Array.from({ length: 8 }, (_, index) => loaded(index, padding)));
  longestStep = 0;
  for (let before = seen; seen < 5_008; before = seen) {
    await nextTurn();
    longestStep = Math.max(longestStep, seen - before);
  }
  assert.ok(longestStep <= 2, `${longestStep} long events in one step`);
});

test("too many events close the pipe, report it once, and reject every pending command", async () => {
  const { browser, send, exceeded, isOpen, fromBrowser } = await openConnection();
  const pending = assert.rejects(browser.send("Browser.getVersion"), /Target closed/);
  for (let chunk = 0; chunk < 30; chunk += 1) send(...events(1_000));
  await pending;
  assert.equal(exceeded(), 1);
  assert.equal(isOpen(), false);
  assert.ok(fromBrowser.destroyed);
});

test("events without a listener count as well", async () => {
  const { send, exceeded, isOpen } = await openConnection();
  for (let chunk = 0; chunk < 30; chunk += 1) send(...events(1_000));
  while (isOpen()) await nextTurn();
  assert.equal(exceeded(), 1);
});

test("events without a listener are not parsed", async () => {
  const { browser, send, response, fromBrowser } = await openConnection();
  const answer = browser.send("Browser.getVersion");
  await nextTurn();
  fromBrowser.write('{"method":"Network.dataReceived","params":not JSON}\0');
  send(response({ product: "x" }));
  assert.equal((await answer).product, "x");
});

test("an event of 17 MB or a response of 33 MB closes the pipe before it is complete; a response of 24 MB is accepted", async () => {
  const text = "x".repeat(megabyte);
  const { browser, send, response, exceeded, isOpen, fromBrowser } = await openConnection();
  const answer = browser.send("Browser.getVersion");
  await nextTurn();
  send(response({ product: text.repeat(24) }));
  assert.equal((await answer).product.length, 24 * megabyte);
  fromBrowser.write(`{"method":"Page.javascriptDialogOpening","params":{"message":"${text.repeat(17)}`);
  if (!fromBrowser.destroyed) await once(fromBrowser, "close");
  assert.deepEqual([exceeded(), isOpen()], [1, false]);

  const other = await openConnection();
  const refused = assert.rejects(other.browser.send("Browser.getVersion"), /Target closed/);
  await nextTurn();
  const start = JSON.stringify(other.response({ product: text })).slice(0, -3);
  for (const part of [start, ...Array.from({ length: 32 }, () => text)]) {
    other.fromBrowser.write(part);
    await nextTurn();
  }
  await refused;
  assert.deepEqual([other.exceeded(), other.isOpen()], [1, false]);
});

test("an image of 48 MB arrives whole and over several turns of the event loop, however its response is split", async () => {
  const { attach, send, response, fromBrowser } = await openConnection();
  const sessionId = "5F".repeat(16);
  const attaching = attach("page");
  await nextTurn();
  const targetInfo = { ...browserTarget, targetId: "page", type: "page" };
  send({ method: "Target.attachedToTarget", params: { sessionId, targetInfo, waitingForDebugger: false } }, response({ sessionId }));
  const page = await attaching;
  const image = randomFillSync(Buffer.alloc(48 * megabyte));
  image.write("\x89PNG\r\n\x1a\n", "latin1");
  const bytes = Buffer.from(`,"result":{"data":"${image.toString("base64")}"},"sessionId":"${sessionId}"}\0`);
  const write = async (chunk: Buffer) => {
    fromBrowser.write(chunk);
    await nextTurn();
  };
  const capture = async (firstLength: number, lastLength: number) => {
    const capturing = page.captureScreenshot({});
    await nextTurn();
    const start = Buffer.concat([Buffer.from(`{"id":${response({}).id}`), bytes.subarray(0, 500)]);
    await write(start.subarray(0, firstLength));
    await write(start.subarray(firstLength));
    const end = bytes.length - lastLength;
    for (let at = 500; at < end; at += 65_536) await write(bytes.subarray(at, Math.min(at + 65_536, end)));
    await write(bytes.subarray(end));
    return await capturing;
  };
  const splits = [
    [400, 60_000],
    [3, 1],
    [15, 30],
    [30, 55],
  ] as const;
  for (const [first, last] of splits) {
    const { ms, result } = await longestTurnAtBest(() => capture(first, last), imageTurnMaxMs);
    assert.ok(result.equals(image), `${first} and ${last} bytes`);
    assert.ok(ms < imageTurnMaxMs, `a turn of the event loop took ${ms} ms`);
  }
});

test("messages that take milliseconds each are delivered in order, in turns that all browsers share", async () => {
  const [browsers, count, eachMs] = [3, 40, 4];
  const work = async () => {
    const orders = await Promise.all(
      Array.from({ length: browsers }, async () => {
        const fromBrowser = new PassThrough();
        const received: number[] = [];
        const all = Promise.withResolvers<void>();
        openPipe(new PassThrough(), fromBrowser, {
          onEventRead: () => {},
          onMessage(message) {
            for (const until = performance.now() + eachMs; performance.now() < until; );
            received.push(JSON.parse(String(message)).params);
            if (received.length === count) all.resolve();
          },
          onClose: () => {},
        });
        const messages = Array.from({ length: count }, (_, params) => JSON.stringify({ method: "A", params }));
        for (const half of [messages.slice(0, count / 2), messages.slice(count / 2)]) fromBrowser.write(`${half.join("\0")}\0`);
        await all.promise;
        return received;
      }),
    );
    return orders;
  };
  const { ms, result } = await longestTurnAtBest(work, 60);
  const inOrder = Array.from({ length: count }, (_, index) => index);
  assert.deepEqual(result, Array(browsers).fill(inOrder));
  assert.ok(ms < 60, `a turn of the event loop took ${ms} ms`);
});

test("a response to the client of a lent browser may have at most 64 MB", async () => {
  const { admitGuest, fromBrowser } = await openConnection();
  const ends: string[] = [];
  const lengths: number[] = [];
  const ended = new Promise<void>((resolve) => {
    admitGuest({
      onMessage: (message, _, rest) => lengths.push([message, ...rest].reduce((sum, part) => sum + part.length, 0)),
      onBacklog: () => {},
      onEnd: resolve,
      onFlood: (limit) => ends.push(limit),
    });
  });
  const part = Buffer.alloc(4 * megabyte, "x");
  const write = async (parts: number) => {
    for (let index = 0; index < parts; index += 1) {
      fromBrowser.write(part);
      await nextTurn();
    }
  };
  fromBrowser.write('{"id":1000000000,"result":{"value":"');
  await write(15);
  fromBrowser.write('"}}\0');
  while (lengths.length === 0) await nextTurn();
  fromBrowser.write('{"id":1000000001,"result":{"value":"');
  await write(17);
  await ended;
  assert.deepEqual([lengths, ends], [['{"id":1000000000,"result":{"value":""}}'.length + 60 * megabyte], ["the size of a message"]]);
});

test("the event budget is reset for each capture", async () => {
  const { browser, send, limitEvents, isOpen } = await openConnection();
  for (let capture = 0; capture < 5; capture += 1) {
    limitEvents(() => {});
    let seen = 0;
    browser.on("Page.loadEventFired", () => {
      seen += 1;
    });
    send(...events(8_000));
    while (seen < 8_000) await nextTurn();
  }
  assert.ok(isOpen());
});

test("the event budget limits number and bytes, per second and in total", () => {
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

test("if a browser closes its pipe during the handshake, connecting is rejected", async () => {
  const [toBrowser, fromBrowser] = [new PassThrough(), new PassThrough()];
  const connecting = assert.rejects(connect(toBrowser, fromBrowser), /closed/i);
  fromBrowser.destroy();
  await connecting;
  const [toLater, fromLater] = [new PassThrough(), new PassThrough()];
  const rejected = assert.rejects(connect(toLater, fromLater), /closed/i);
  await once(toLater, "data"); // the first command
  fromLater.destroy();
  await rejected;
});

test("a listener that throws is reported once, and the others of the event are called", async () => {
  const { browser, send } = await openConnection();
  const runners = process.listeners("unhandledRejection");
  const reported: unknown[] = [];
  process.removeAllListeners("unhandledRejection").on("unhandledRejection", (error) => reported.push(error));
  try {
    const seen: number[] = [];
    const fail = () => {
      throw new Error("unexpected page");
    };
    browser.on("Page.loadEventFired", fail);
    browser.on("Page.loadEventFired", ({ timestamp }) => void seen.push(timestamp));
    const fire = async (...times: number[]) => {
      send(...times.map((timestamp) => ({ method: "Page.loadEventFired", params: { timestamp } })));
      for (let tries = 0; tries < 100 && seen.at(-1) !== times.at(-1); tries += 1) await setTimeout(20);
    };
    await fire(1, 2, 3);
    assert.deepEqual(seen, [1, 2, 3]);
    browser.off("Page.loadEventFired", fail);
    await fire(4);
    assert.deepEqual(reported.map(String), ["Error: unexpected page"]);
  } finally {
    process.removeAllListeners("unhandledRejection");
    for (const runner of runners) process.on("unhandledRejection", runner);
  }
});
