/** Incomplete requests, at the dashboard's own server. */

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, type Server, type ServerResponse } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { countParsedRequests } from "../support/count-parsed.ts";
import { eventually } from "../support/eventually.ts";
import { longOnly } from "../support/long-only.ts";
import { exchange } from "../support/raw.ts";

const longTest = longOnly(test);
test("a body that never arrives causes a 408, and closes the connections to client and API", async (t) => {
  const api = createServer();
  await once(api.listen(0, "127.0.0.1"), "listening");
  t.after(() => api.close());
  const left = new Promise<void>((resolve) => api.on("request", (request) => void request.on("close", resolve)));

  const folder = process.env.TEST_WEB ?? "";
  const { createWebServer } = await import(pathToFileURL(join(folder, "server/app.ts")).href);
  const settings = {
    api: new URL(`http://127.0.0.1:${(api.address() as AddressInfo).port}`),
    apiPublicUrl: "",
    trustProxy: false,
    logLevel: "silent",
  };
  const timeouts = { headersTimeout: 1_500, requestTimeout: 2_000, connectionsCheckingInterval: 100 };
  const app = await createWebServer(settings, join(folder, "dist"), timeouts);
  t.after(() => app.close());
  const origin = await app.listen({ host: "127.0.0.1", port: 0 });

  const head = "POST /v1/auth/sign-in HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 20\r\n\r\n";
  const responses = await Promise.all(["", '{"email":'].map((rest) => exchange(origin, { pieces: [head + rest] })));
  assert.deepEqual(
    responses.map(([response]) => response?.status),
    [408, 408],
  );
  await left;
});

test("a handler of a connection's events that throws costs its connection, not the process", async (t) => {
  const folder = process.env.TEST_WEB ?? "";
  const { createWebServer } = await import(pathToFileURL(join(folder, "server/app.ts")).href);
  const settings = { api: new URL("http://127.0.0.1:9"), apiPublicUrl: "", trustProxy: false, logLevel: "silent" };
  const app = await createWebServer(settings, join(folder, "dist"));
  t.after(() => app.close());
  const origin = await app.listen({ host: "127.0.0.1", port: 0 });
  for (const [event, pieces] of [
    ["connection", []],
    ["clientError", ["garbage\r\n\r\n"]],
  ] as const) {
    app.server.prependOnceListener(event, () => {
      throw new Error("a fault");
    });
    assert.deepEqual(await exchange(origin, { pieces: [...pieces] }), [], event);
    const [after] = await exchange(origin, { pieces: ["GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"] });
    assert.equal(after?.status, 200, event);
  }
});

test("a body in small chunks is forwarded whole; one in very many is refused", async (t) => {
  const received: Buffer[] = [];
  const api = createServer((request, response) => {
    request.on("data", (chunk: Buffer) => received.push(chunk));
    request.on("end", () => response.end("all"));
  });
  await once(api.listen(0, "127.0.0.1"), "listening");
  t.after(() => api.close());
  const folder = process.env.TEST_WEB ?? "";
  const { createWebServer } = await import(pathToFileURL(join(folder, "server/app.ts")).href);
  const apiUrl = new URL(`http://127.0.0.1:${(api.address() as AddressInfo).port}`);
  const app = await createWebServer({ api: apiUrl, apiPublicUrl: "", trustProxy: false, logLevel: "silent" }, join(folder, "dist"));
  t.after(() => app.close());
  const origin = await app.listen({ host: "127.0.0.1", port: 0 });
  const head = "POST /v1/screenshots/take HTTP/1.1\r\nHost: a\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n";
  const post = async (text: string) => {
    const chunks = Array.from(text, (byte) => `1\r\n${byte}\r\n`).join("");
    return (await exchange(origin, { pieces: [`${head}${chunks}0\r\n\r\n`] }))[0];
  };
  const text = "abcdefghij".repeat(190);
  assert.deepEqual([(await post(text))?.status, Buffer.concat(received).toString()], [200, text]);
  assert.equal((await post(text.repeat(10)))?.status, 413);
});

test("pipelined requests are forwarded one after another", async (t) => {
  const received: string[] = [];
  const api = createServer((request, response) => {
    received.push(request.url ?? "");
    setTimeout(() => response.end(`${received.length}`), 50);
  });
  const { origin } = await startBefore(t, await started(t, api));
  const ask = (path: string, header = "") => `GET ${path} HTTP/1.1\r\nHost: a\r\n${header}\r\n`;
  const answers = await exchange(origin, { pieces: [ask("/v1/a") + ask("/v1/b") + ask("/v1/c", "Connection: close\r\n")] });
  assert.deepEqual(received, ["/v1/a", "/v1/b", "/v1/c"]);
  assert.deepEqual(
    answers.map(({ body }) => body.toString()),
    ["1", "2", "3"],
  );
});

test("a connection whose waiting requests have heads of more than 256 KB is closed", async (t) => {
  const held: ServerResponse[] = [];
  const api = createServer((_request, response) => void held.push(response));
  const { origin } = await startBefore(t, await started(t, api));
  const ask = (bytes: number, last = "") => `GET /healthz HTTP/1.1\r\nHost: a\r\nX-Long: ${"a".repeat(bytes)}\r\n${last}\r\n`;
  assert.deepEqual(await exchange(origin, { pieces: [openapi + ask(60_000).repeat(5)] }), []);
  held.length = 0; // if it was forwarded at all
  const few = exchange(origin, { pieces: [openapi + ask(20_000).repeat(5) + ask(0, "Connection: close\r\n")] });
  await eventually("the first is forwarded", () => held.length > 0);
  for (const response of held) response.end();
  assert.deepEqual(new Set((await few).map(({ status }) => status)), new Set([200]));
  assert.equal((await few).length, 7);
});

/** Requests that Node would answer by itself, if nothing else did. */
const kinds = { plain: "Host: a\r\n", "with an unknown Expect": "Host: a\r\nExpect: x\r\n", "without Host": "" };
for (const [kind, lines] of Object.entries(kinds))
  test(`the rest of what is read from a connection with too many requests isn't parsed: ${kind}`, async (t) => {
    const { origin } = await startBefore(t, await started(t, createServer()));
    const parsed = countParsedRequests(t);
    const flood = `GET / HTTP/1.1\r\n${lines}\r\n`.repeat(1_600);
    assert.deepEqual(await exchange(origin, { pieces: [`GET /v1/a HTTP/1.1\r\nHost: a\r\n\r\n${flood}`] }), []);
    assert.equal(parsed(), 102, "one that runs, a hundred that wait, and one too many");
  });

test("an unknown Expect is ignored; a request without Host gets a 400", async (t) => {
  const { origin } = await startBefore(t, new URL("http://127.0.0.1:9"));
  const ask = (lines: string) => `GET /healthz HTTP/1.1\r\n${lines}\r\n`;
  const [expects, hostless, ...more] = await exchange(origin, { pieces: [ask("Host: a\r\nExpect: x\r\n") + ask("").repeat(2)] });
  assert.deepEqual([expects?.status, hostless?.status, more.length], [200, 400, 0]);
  assert.equal(JSON.parse(hostless?.body.toString() ?? "").message, "The request has no Host header.");
});

/** A server that `t` stops. */
async function started(t: TestContext, server: Server): Promise<URL> {
  await once(server.listen(0, "127.0.0.1"), "listening");
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
}

/** A dashboard's server in front of an API; `t` stops it. */
async function startBefore(t: TestContext, api: URL, times: { stalledTimeout?: number } = {}) {
  const folder = process.env.TEST_WEB ?? "";
  const { createWebServer } = await import(pathToFileURL(join(folder, "server/app.ts")).href);
  const timeouts = { headersTimeout: 20_000, requestTimeout: 30_000, connectionsCheckingInterval: 5_000, ...times };
  const app = await createWebServer({ api, apiPublicUrl: "", trustProxy: false, logLevel: "silent" }, join(folder, "dist"), timeouts);
  const clients: Socket[] = [];
  t.after(async () => {
    for (const client of clients) client.destroy();
    await app.close();
  });
  const origin = await app.listen({ host: "127.0.0.1", port: 0 });
  /** Sends `sent` on a connection that is never read. */
  const neverRead = (sent: string) => {
    const client = connect({ host: "127.0.0.1", port: Number(new URL(origin).port) }).on("error", () => {});
    clients.push(client.pause());
    client.write(sent);
    return client;
  };
  return { app, origin, neverRead };
}

const openapi = "GET /openapi.json HTTP/1.1\r\nHost: a\r\n\r\n";

longTest("responses that nobody reads are relayed in small parts, so that other clients are served in between", async (t) => {
  const [clientsCount, bytes] = [100, 2_000_000];
  // In its own process, because it would share this one's turns.
  const source = `const api = require("node:http").createServer((_request, response) => response.end(Buffer.alloc(${bytes})));
    api.listen(0, "127.0.0.1", () => console.log(api.address().port));`;
  const api = spawn(process.execPath, ["-e", source], { stdio: ["ignore", "pipe", "inherit"] });
  t.after(() => api.kill());
  const [port] = await once(api.stdout, "data");
  const { app, neverRead } = await startBefore(t, new URL(`http://127.0.0.1:${String(port).trim()}`));
  const sockets: Socket[] = [];
  app.server.on("connection", (socket: Socket) => sockets.push(socket));
  for (let client = 0; client < clientsCount; client += 1) neverRead(openapi);
  let [relayed, most] = [0, 0];
  while (relayed < clientsCount * bytes) {
    await nextTurn();
    const now = sockets.reduce((sum, { bytesWritten }) => sum + bytesWritten, 0);
    most = Math.max(most, now - relayed);
    relayed = now;
  }
  assert.ok(most < 2_000_000, `${most} of ${relayed} bytes were relayed in one turn of the event loop`);
});

test("a connection whose client doesn't read its response is closed, as is the one to the API", async (t) => {
  const left = Promise.withResolvers<void>();
  const api = createServer((_request, response) => {
    response.on("close", left.resolve);
    response.end(Buffer.alloc(60_000_000)); // more than the kernel buffers
  });
  const { app, neverRead } = await startBefore(t, await started(t, api), { stalledTimeout: 500 });
  const closed = new Promise<void>((resolve) => app.server.on("connection", (socket: Socket) => void socket.on("close", () => resolve())));
  neverRead(openapi);
  await Promise.all([closed, left.promise]);
});

longTest("an API that takes longer to respond than a client may take to read is waited for, also by pipelined requests", async (t) => {
  const api = createServer((_request, response) => void setTimeout(() => response.end("late"), 900));
  const { origin } = await startBefore(t, await started(t, api), { stalledTimeout: 300 });
  const answers = await exchange(origin, { pieces: [openapi, openapi.replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n")] });
  assert.deepEqual(
    answers.map(({ body }) => body.toString()),
    ["late", "late"],
  );
});
