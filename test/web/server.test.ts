/** The dashboard's server: static files, forwarding to the API, failures. */

import assert from "node:assert/strict";
import { once } from "node:events";
import { readdirSync, statSync } from "node:fs";
import { type IncomingHttpHeaders, request } from "node:http";
import { connect } from "node:net";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import Fastify from "fastify";
import { freePort } from "../../scripts/stack/ports.ts";
import { readSettings } from "../../web/server/settings.ts";
import { eventually } from "../support/eventually.ts";
import { longOnly } from "../support/long-only.ts";
import { createSite } from "../support/site.ts";
import { startDashboardServer } from "./dashboard.ts";

const longTest = longOnly(test);
async function start(t: TestContext, api: string, settings: Record<string, string> = {}): Promise<string> {
  const port = await freePort();
  await startDashboardServer(t, { WEB_SERVER_URL: api, WEB_PORT: String(port), ...settings });
  return `http://127.0.0.1:${port}`;
}

const unusedOrigin = "http://127.0.0.1:9";

longTest("invalid settings prevent the start, with a list of all problems", async (t) => {
  await assert.rejects(
    startDashboardServer(t, { WEB_PORT: "many", LOG_LEVEL: "loud" }),
    /WEB_SERVER_URL is missing[\s\S]*WEB_PORT must[\s\S]*LOG_LEVEL must/,
  );
  const site = await createSite(t);
  const taken = { WEB_SERVER_URL: unusedOrigin, WEB_PORT: site.host.split(":")[1] ?? "" };
  await assert.rejects(startDashboardServer(t, taken), /EADDRINUSE.*WEB_PORT/);
  const proxies = { WEB_SERVER_URL: unusedOrigin, WEB_PORT: "3001", WEB_TRUST_PROXY: "10.0.0.0/8, my-proxy" };
  await assert.rejects(startDashboardServer(t, proxies), /WEB_TRUST_PROXY contains "my-proxy"; it must be/);
  const host = { WEB_SERVER_URL: unusedOrigin, WEB_PORT: String(await freePort()), WEB_LISTEN_HOST: "192.0.2.1" };
  await assert.rejects(startDashboardServer(t, host), /set WEB_LISTEN_HOST/);
});

test("WEB_LISTEN_HOST is the listen address; WEB_HOST, the API's name for the server, is a fallback with a warning", () => {
  const hostOf = (env: Record<string, string>) => {
    const { host, isHostFromOldName } = readSettings({ WEB_SERVER_URL: unusedOrigin, ...env });
    return [host, isHostFromOldName];
  };
  assert.deepEqual(hostOf({}), ["0.0.0.0", false]);
  assert.deepEqual(hostOf({ WEB_HOST: "web", WEB_LISTEN_HOST: "127.0.0.1" }), ["127.0.0.1", false]);
  assert.deepEqual(hostOf({ WEB_HOST: "127.0.0.1" }), ["127.0.0.1", true]);
});

test("WEB_TRUST_PROXY accepts and refuses exactly the ranges that Fastify does", () => {
  const right = ["10.0.0.0/8", "10.0.0.0/255.255.0.0", "::1", "fe80::1%eth0", "::/1", "1.2.3.4/32", "loopback"];
  for (const entry of right) {
    Fastify({ trustProxy: [entry] });
    assert.deepEqual(readSettings({ WEB_SERVER_URL: unusedOrigin, WEB_TRUST_PROXY: entry }).trustProxy, [entry]);
  }
  const wrong = ["0.0.0.0/0", "::/0", "10.0.0.0/00", "10.0.0.0/255.0.255.0", "10.0.0.0/0.0.0.0", "10.0.0.0/8/8", "::1/129", "fe80::%a.b"];
  for (const entry of wrong) {
    assert.throws(() => Fastify({ trustProxy: [entry] }), TypeError, entry);
    assert.throws(() => readSettings({ WEB_SERVER_URL: unusedOrigin, WEB_TRUST_PROXY: entry }), /WEB_TRUST_PROXY contains/, entry);
  }
});

test("WEB_SERVER_URL and API_PUBLIC_URL have no user name, password, query, fragment or port 0", () => {
  for (const url of ["http://u@api", "http://:p4ss@api", "http://api/?a", "http://api/#a", "http://api:0"])
    for (const name of ["WEB_SERVER_URL", "API_PUBLIC_URL"])
      assert.throws(() => readSettings({ WEB_SERVER_URL: unusedOrigin, [name]: url }), {
        message: `Invalid settings:\n${name} must be an http or https URL without user name, password, query and fragment`,
      });
});

test("every page path serves the page, uncached, with a policy that forbids inline scripts", async (t) => {
  const origin = await start(t, unusedOrigin);
  for (const path of ["/", "/keys/some-id", "/screenshots?status=done"]) {
    const response = await fetch(`${origin}${path}`);
    assert.equal(response.status, 200, path);
    assert.equal(response.headers.get("cache-control"), "no-cache");
    const policy = response.headers.get("content-security-policy") ?? "";
    assert.match(policy, /default-src 'none'.*script-src 'self';.*frame-ancestors 'none'/);
    assert.doesNotMatch(policy, /unsafe|\*|http/);
    assert.match(await response.text(), /<script type="module" crossorigin src="\/assets\//);
  }
});

test("scripts and styles are immutable and compressed; missing files get a 404", async (t) => {
  const origin = await start(t, unusedOrigin);
  const page = await (await fetch(origin)).text();
  const files = [...page.matchAll(/"(\/assets\/[^"]+\.(?:js|css))"/g)].map((match) => match[1]);
  assert.equal(files.length, 2);
  for (const file of files) {
    const response = await fetch(`${origin}${file}`, { headers: { "accept-encoding": "br" } });
    assert.equal(response.headers.get("cache-control"), "public, max-age=31536000, immutable");
    assert.equal(response.headers.get("content-encoding"), "br");
    assert.equal(response.headers.get("x-content-type-options"), "nosniff");
    await response.body?.cancel();
  }
  assert.equal((await fetch(`${origin}/assets/gone-0000.js`)).status, 404);
  assert.equal((await fetch(`${origin}/assets/..%2f..%2fserver/main.ts`)).status, 400);
});

test("scripts and styles total less than 210 kB, gzipped", () => {
  const folder = join(process.env.TEST_WEB ?? "", "dist/assets");
  const files = readdirSync(folder).filter((name) => name.endsWith(".gz"));
  const bytes = files.reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
  assert.ok(bytes > 50_000 && bytes < 210_000, `${bytes} bytes`);
});

test("requests reach the API unchanged, except that clients can't spoof their IP address", async (t) => {
  let seen: { method?: string | undefined; url?: string | undefined; headers: IncomingHttpHeaders; body: string } | undefined;
  const api = await createSite(t, {
    "/v1/echo": async (incoming, response) => {
      const { method, url, headers } = incoming;
      seen = { method, url, headers, body: String(Buffer.concat(await incoming.toArray())) };
      response.setHeader("set-cookie", ["a=1; HttpOnly", "b=2; HttpOnly"]);
      response.writeHead(302, { location: "https://example.com/elsewhere", "x-cache": "HIT" }).end();
    },
  });
  const origin = await start(t, api.origin);
  const claims = ["x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "forwarded", "x-real-ip", "x-client-ip", "true-client-ip"];
  const response = await fetch(`${origin}/v1/echo?a=1&a=%20b`, {
    method: "POST",
    redirect: "manual",
    headers: {
      ...Object.fromEntries(claims.map((name) => [name, "192.0.2.66"])),
      cookie: "session=1",
      origin: "https://foreign.example",
      "content-type": "application/json",
    },
    body: '{"not" :"touched"}',
  });
  assert.equal(seen?.method, "POST");
  assert.equal(seen?.url, "/v1/echo?a=1&a=%20b");
  assert.equal(seen?.body, '{"not" :"touched"}');
  assert.equal(seen?.headers.host, api.host);
  assert.equal(seen?.headers.cookie, "session=1");
  assert.equal(seen?.headers.origin, "https://foreign.example");
  assert.equal(seen?.headers["x-forwarded-for"], "127.0.0.1");
  assert.equal(seen?.headers["x-forwarded-proto"], "http");
  assert.equal(seen?.headers["x-forwarded-host"], new URL(origin).host);
  assert.ok(!JSON.stringify(seen?.headers).includes("192.0.2.66"));
  assert.equal(response.status, 302);
  assert.equal(response.headers.get("location"), "https://example.com/elsewhere");
  assert.equal(response.headers.get("x-cache"), "HIT");
  assert.deepEqual(response.headers.getSetCookie(), ["a=1; HttpOnly", "b=2; HttpOnly"]);
});

test("a trusted reverse proxy may set the client's address", async (t) => {
  let forwardedFor: string | string[] | undefined;
  const api = await createSite(t, {
    "/v1/echo": ({ headers }, response) => {
      forwardedFor = headers["x-forwarded-for"];
      response.end();
    },
  });
  const origin = await start(t, api.origin, { WEB_TRUST_PROXY: "127.0.0.1" });
  await fetch(`${origin}/v1/echo`, { headers: { "x-forwarded-for": "198.51.100.9, 192.0.2.1" } });
  assert.equal(forwardedFor, "192.0.2.1");
});

test("while the API is unreachable, requests get a 503 in its format and pages are still served", async (t) => {
  const origin = await start(t, unusedOrigin);
  const response = await fetch(`${origin}/v1/account`);
  assert.equal(response.status, 503);
  assert.equal(response.headers.get("cache-control"), "no-store");
  const { code, retryable, message, error, requestId } = await response.json();
  assert.deepEqual([code, retryable, message === error, typeof requestId], ["unavailable", true, true, "string"]);
  assert.equal((await fetch(origin)).status, 200);
});

test("a client that disconnects aborts its request to the API", async (t) => {
  const api = await createSite(t);
  const left = new Promise<void>((resolve) => {
    api.serve({ "/v1/slow": (_request, response) => void response.on("close", resolve) });
  });
  const origin = await start(t, api.origin);
  const client = request(`${origin}/v1/slow`).on("error", () => {});
  client.end();
  await eventually("the request has arrived", () => api.requests.length > 0);
  client.destroy();
  await left;
});

test("a response sent before the request body is complete is delivered", async (t) => {
  const api = await createSite(t, {
    // Without `connection: close`, because the system would then reset the connection, and the reset may overtake the response.
    "/v1/large": (_request, response) => void response.writeHead(413).end('{"code":"too_large"}'),
  });
  const origin = await start(t, api.origin);
  const response = await fetch(`${origin}/v1/large`, { method: "POST", body: "x".repeat(300_000) });
  assert.equal(response.status, 413);
  assert.equal(await response.text(), '{"code":"too_large"}');
});

longTest("uploads that end before they are read don't end the server", async (t) => {
  const closed = await freePort();
  const origin = await start(t, `http://127.0.0.1:${closed}`);
  const { hostname, port } = new URL(origin);
  for (const megabytes of [0.07, 0.5, 20]) {
    const socket = connect(Number(port), hostname).on("error", () => {});
    socket.write(
      `POST /v1/auth/sign-in HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: ${megabytes * 1e6}\r\n\r\n`,
    );
    socket.write(Buffer.alloc(megabytes * 1e6, " "));
    await Promise.race([once(socket, "close"), once(socket.resume(), "end"), pause(1_000)]);
    socket.destroy();
    assert.equal((await fetch(`${origin}/healthz`)).status, 200, `${megabytes} MB`);
  }
});

test("SIGTERM shuts the server down gracefully", async (t) => {
  const { child, exited } = await startDashboardServer(t, { WEB_SERVER_URL: unusedOrigin, WEB_PORT: String(await freePort()) });
  child.kill("SIGTERM");
  assert.deepEqual(await exited, { code: 0, signal: null });
});

test("pages contain API_PUBLIC_URL, escaped", async (t) => {
  const origin = await start(t, unusedOrigin, { API_PUBLIC_URL: 'https://shots.example.com/a"b/' });
  assert.match(await (await fetch(origin)).text(), /<meta name="api-url" content="https:\/\/shots\.example\.com\/a%22b">/);
});

test("the query of an unmatched request appears neither in the response nor in the log", async (t) => {
  const port = await freePort();
  const server = await startDashboardServer(t, { WEB_SERVER_URL: unusedOrigin, WEB_PORT: String(port), LOG_LEVEL: "trace" });
  const response = await fetch(`http://127.0.0.1:${port}/keys?api_key=secret-1`, { method: "POST" });
  assert.deepEqual([response.status, await response.text()], [404, "Not found."]);
  server.child.kill("SIGTERM");
  await server.exited;
  assert.doesNotMatch(server.output(), /secret-1/);
});
