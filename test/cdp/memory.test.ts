/** Limits on what a client and its pages can make this process keep in memory or on disk: messages, responses, stored data. */

import assert from "node:assert/strict";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { before, test } from "node:test";
import { pino } from "pino";
import { type WebSocket, WebSocketServer } from "ws";
import { createLentBrowsers, type LentBrowser } from "../../src/browser/cdp-browsers.ts";
import { relay } from "../../src/cdp/relay.ts";
import { createMetrics } from "../../src/telemetry/metrics.ts";
import { chromiumOptions } from "../egress/escapes/browsers.ts";
import { eventually } from "../support/eventually.ts";
import { longOnly } from "../support/long-only.ts";
import { fileScope } from "../support/scope.ts";
import { type Client, openClient } from "./client.ts";

const longTest = longOnly(test);

const megabyte = 1024 * 1024;
const scope = fileScope();
let browser: LentBrowser;
let client: Client;
/** The service's side of the connection. */
let socket: WebSocket;
/** The reasons for which the connection would have been closed. */
const ends: [code: number, reason: string][] = [];

before(async () => {
  const proxy = { proxyServer: "socks5://127.0.0.1:1", begin() {}, refusals: () => [], hasConnected: () => false, end() {}, close() {} };
  const browsers = createLentBrowsers({
    chromium: chromiumOptions(),
    env: process.env,
    openProxy: async () => proxy,
    browsersMax: 1,
    accountMax: 1,
    waitMaxMs: 0,
    memoryMaxBytes: 4 * 1024 * megabyte,
    profileMaxBytes: 40 * megabyte,
    log: pino({ level: "silent" }),
    metrics: createMetrics(),
  });
  scope.after(browsers.close);
  browser = await browsers.open("one", new AbortController().signal);
  const server = new WebSocketServer({ port: 0, host: "127.0.0.1", allowSynchronousEvents: false });
  await once(server, "listening");
  scope.after(() => server.close());
  server.on("connection", (accepted) => {
    socket = accepted;
    relay(accepted, browser, (...end) => ends.push(end));
  });
  client = await openClient(scope, `ws://127.0.0.1:${(server.address() as AddressInfo).port}`);
});

test("messages with too many values, of excessive length for their command, or with an overlong session id end the connection unparsed", async () => {
  const messages: [message: string, code: number, reason: RegExp][] = [
    [`{"id":1,"method":"Fetch.fulfillRequest","params":{"a":[${"[],".repeat(megabyte)}[]]}}`, 1009, /at most 100000 strings, brackets/],
    [
      `{"id":1,"method":"Page.reload","params":{"a":"${"x".repeat(2 * megabyte)}"}}`,
      1009,
      /^A message with this command must not exceed 1 MB/,
    ],
    [`{"id":1,"method":"Page.crash","sessionId":"${"x".repeat(500_000)}"}`, 1007, /sessionId must have at most 100 characters/],
  ];
  for (const [message] of messages) client.socket.send(message);
  await client.send("Browser.getVersion");
  assert.deepEqual(
    ends.map(([code]) => code),
    messages.map(([, code]) => code),
  );
  for (const [at, [, , reason]] of messages.entries()) assert.match(ends[at]?.[1] ?? "", reason);
});

test("a browser whose profile exceeds the disk limit is killed", async () => {
  const { send, events } = client;
  const { targetInfos } = (await send("Target.getTargets")) as { targetInfos: { targetId: string }[] };
  const { sessionId } = await send("Target.attachToTarget", { targetId: targetInfos[0]?.targetId, flatten: true });
  const inPage = (method: string, params = {}) => send(method, params, String(sessionId));
  await inPage("Fetch.enable");
  const loaded = inPage("Page.navigate", { url: "http://localhost/" });
  const paused = () => events.find(({ method }) => method === "Fetch.requestPaused");
  await eventually("the page's request has arrived", () => paused() !== undefined);
  await inPage("Fetch.fulfillRequest", { requestId: paused()?.params.requestId, responseCode: 200, body: "" });
  await loaded;
  assert.equal(browser.signal.aborted, false);
  const expression = "caches.open('a').then((cache) => cache.put('/a', new Response(new Uint8Array(50_000_000)))).then(() => 'stored')";
  const stored = await inPage("Runtime.evaluate", { expression, awaitPromise: true });
  assert.deepEqual(stored.result, { type: "string", value: "stored" });
  await eventually("the browser is marked as faulty", () => browser.signal.aborted);
  assert.match(String(browser.signal.reason), /exceeded its limit on stored data/);
});

test("a response of 6 MB arrives whole", async () => {
  const { sessionId } = await client.openPage();
  const expression = '"0123456789".repeat(600_000)';
  const { result } = (await client.send("Runtime.evaluate", { expression }, sessionId)) as { result: { value: string } };
  assert.ok(result.value === "0123456789".repeat(600_000));
});

longTest("if a client stops reading responses, its messages aren't read until it continues", async () => {
  const refused = `{"id":0,"method":"${"x".repeat(80)}","sessionId":"${"y".repeat(90)}"}`;
  const count = 120_000;
  client.socket.pause();
  for (let sent = 0; sent < count; sent += 1) client.socket.send(refused);
  await eventually("the service has stopped reading", () => socket.isPaused);
  assert.ok(socket.bufferedAmount < 9 * megabyte, `${socket.bufferedAmount} bytes wait for the client`);
  client.socket.removeAllListeners("message");
  let answers = 0;
  client.socket.on("message", () => {
    answers += 1;
  });
  client.socket.resume();
  await eventually("all commands are answered", () => answers === count);
});
