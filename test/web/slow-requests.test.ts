/** Incomplete requests, at the dashboard's own server. */

import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { countParsedRequests } from "../support/count-parsed.ts";
import { exchange } from "../support/raw.ts";

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

test("pipelined requests are forwarded one after another", async (t) => {
  const received: string[] = [];
  const api = createServer((request, response) => {
    received.push(request.url ?? "");
    setTimeout(() => response.end(`${received.length}`), 50);
  });
  await once(api.listen(0, "127.0.0.1"), "listening");
  t.after(() => api.close());
  const folder = process.env.TEST_WEB ?? "";
  const { createWebServer } = await import(pathToFileURL(join(folder, "server/app.ts")).href);
  const url = new URL(`http://127.0.0.1:${(api.address() as AddressInfo).port}`);
  const app = await createWebServer({ api: url, apiPublicUrl: "", trustProxy: false, logLevel: "silent" }, join(folder, "dist"));
  t.after(() => app.close());
  const origin = await app.listen({ host: "127.0.0.1", port: 0 });
  const ask = (path: string, header = "") => `GET ${path} HTTP/1.1\r\nHost: a\r\n${header}\r\n`;
  const answers = await exchange(origin, { pieces: [ask("/v1/a") + ask("/v1/b") + ask("/v1/c", "Connection: close\r\n")] });
  assert.deepEqual(received, ["/v1/a", "/v1/b", "/v1/c"]);
  assert.deepEqual(
    answers.map(({ body }) => body.toString()),
    ["1", "2", "3"],
  );
});

test("the rest of what is read from a connection with too many requests isn't parsed", async (t) => {
  const silent = createServer(() => {});
  await once(silent.listen(0, "127.0.0.1"), "listening");
  t.after(() => silent.close());
  const folder = process.env.TEST_WEB ?? "";
  const { createWebServer } = await import(pathToFileURL(join(folder, "server/app.ts")).href);
  const url = new URL(`http://127.0.0.1:${(silent.address() as AddressInfo).port}`);
  const app = await createWebServer({ api: url, apiPublicUrl: "", trustProxy: false, logLevel: "silent" }, join(folder, "dist"));
  t.after(() => app.close());
  const origin = await app.listen({ host: "127.0.0.1", port: 0 });
  const parsed = countParsedRequests(t);
  assert.deepEqual(await exchange(origin, { pieces: ["GET /v1/a HTTP/1.1\r\nHost: a\r\n\r\n".repeat(5_000)] }), []);
  assert.equal(parsed(), 102, "one that runs, a hundred that wait, and one too many");
});
