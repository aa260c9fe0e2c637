/** A lent browser, driven through its WebSocket, for the ways to reach the network in `test/egress`. */

import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { PassThrough, Writable } from "node:stream";
import { pino } from "pino";
import { WebSocket, WebSocketServer } from "ws";
import { createLentBrowsers } from "../../src/browser/cdp-browsers.ts";
import { connect } from "../../src/browser/protocol.ts";
import { relay } from "../../src/cdp/relay.ts";
import { createMetrics } from "../../src/telemetry/metrics.ts";
import { chromiumOptions, openPage, startFilteredProxy, type TestedBrowser } from "../egress/escapes/browsers.ts";
import type { Outer } from "../egress/escapes/outer.ts";
import type { Scope } from "../support/scope.ts";

export type LentForTest = TestedBrowser & Awaited<ReturnType<typeof connect>>;

/** A lent browser behind a proxy that allows only the outer site. `t` closes it when the test ends. */
export async function startLent(t: Scope, outer: Outer): Promise<LentForTest> {
  const { proxy, refused } = await startFilteredProxy(t, outer);
  const browsers = createLentBrowsers({
    chromium: chromiumOptions(),
    env: process.env,
    openProxy: async () => proxy,
    browsersMax: 1,
    accountMax: 1,
    waitMaxMs: 0,
    memoryMaxBytes: 16 * 1024 ** 3, // for many pages at once
    log: pino({ level: "silent" }),
    metrics: createMetrics(),
  });
  t.after(browsers.close);
  const browser = await browsers.open("one", new AbortController().signal);
  const server = new WebSocketServer({ port: 0, host: "127.0.0.1" });
  t.after(() => server.close());
  server.on("connection", (socket) => relay(socket, browser, (code, reason) => socket.close(code, reason)));
  await once(server, "listening");
  const socket = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`);
  t.after(() => socket.terminate());
  await once(socket, "open");
  const connection = await connect(...asPipes(socket));
  return {
    ...connection,
    refused,
    open: (url, { gesture }) => openPage({ session: connection.browser, attach: connection.attach }, url, gesture),
  };
}

/** The streams of a browser's pipe, in which each message ends with a zero byte. */
function asPipes(socket: WebSocket): [toBrowser: Writable, fromBrowser: PassThrough] {
  const fromBrowser = new PassThrough();
  socket.on("message", (data) => fromBrowser.write(`${data}\0`));
  socket.once("close", () => fromBrowser.destroy());
  const toBrowser = new Writable({
    write: (chunk, _encoding, done) => {
      for (const message of String(chunk).split("\0").filter(Boolean)) socket.send(message);
      done();
    },
  });
  return [toBrowser, fromBrowser];
}
