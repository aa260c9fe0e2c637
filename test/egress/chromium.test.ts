/** The egress filter with a real browser: all traffic goes through the proxy, and allowed traffic is unchanged. */

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { rm } from "node:fs/promises";
import type { IncomingMessage } from "node:http";
import { createServer as createSecureServer } from "node:https";
import { connect, type Socket } from "node:net";
import { type TestContext, test } from "node:test";
import { launch, type Page } from "puppeteer-core";
import { chromiumFlags } from "../../src/browser/flags.ts";
import { createProfile } from "../../src/browser/profiles.ts";
import { parseProxyUrl } from "../../src/shared/proxy-url.ts";
import { createCertificate } from "../browser/certificate.ts";
import { longOnly } from "../support/long-only.ts";
import { startProxy } from "../support/proxies.ts";
import { openProxy, startOrigin, startServer, startTcpOrigin } from "./proxy-client.ts";

const longTest = longOnly(test);

/** A page in a browser with the service's flags, plus `more`. */
async function openPage(t: TestContext, proxyServer: string, ...more: string[]): Promise<Page> {
  const executablePath = process.env.TEST_CHROMIUM;
  assert.ok(executablePath, "TEST_CHROMIUM must name a Chromium executable");
  const profile = await createProfile();
  const options = { executablePath, sandbox: process.env.CHROMIUM_SANDBOX !== "false", webgl: false };
  const args = [...chromiumFlags(options, { profile, proxyServer }), ...more];
  const browser = await launch({ executablePath, ignoreDefaultArgs: true, args, pipe: true });
  t.after(async () => {
    await browser.close();
    await rm(profile, { recursive: true, force: true, maxRetries: 5 });
  });
  return await browser.newPage();
}

test("a page reaches only allowed hosts, whether by fetch, redirect, WebSocket or image", async (t) => {
  const secret = await startTcpOrigin(t, (socket) => socket.destroy());
  const attempts = `
    const secret = "127.0.0.1:${secret.port}";
    const settled = [
      fetch("http://" + secret + "/fetch", { mode: "no-cors" }),
      fetch("http://localhost:${secret.port}/name", { mode: "no-cors" }),
      fetch("https://" + secret + "/tls", { mode: "no-cors" }),
      fetch("http://[::ffff:127.0.0.1]:${secret.port}/mapped", { mode: "no-cors" }),
      fetch("/redirect"),
      new Promise((resolve, reject) => { const ws = new WebSocket("ws://" + secret); ws.onopen = resolve; ws.onerror = reject; }),
      new Promise((resolve, reject) => { const img = new Image(); img.onload = resolve; img.onerror = reject; img.src = "http://" + secret + "/img"; }),
      fetch("/data.json").then((answer) => answer.json()).then((data) => { document.title = data.title; }),
    ];
    Promise.allSettled(settled).then((all) => { document.body.dataset.outcome = all.map(({ status }) => status).join(); });`;
  const origin = await startOrigin(t, (req, res) => {
    if (req.url === "/redirect") res.writeHead(302, { Location: `http://127.0.0.1:${secret.port}/redirected` }).end();
    else if (req.url === "/data.json") res.setHeader("Content-Type", "application/json").end('{"title":"reached"}');
    else res.setHeader("Content-Type", "text/html").end(`<!doctype html><title>page</title><body><script>${attempts}</script>`);
  });
  const proxy = await openProxy(t, { allowed: `127.0.0.1:${origin.port}` });
  const page = await openPage(t, proxy.proxyServer);
  proxy.begin("one");
  await page.goto(`http://127.0.0.1:${origin.port}/`);
  await page.waitForSelector("[data-outcome]", { timeout: 20_000 });
  const outcome = await page.$eval("[data-outcome]", (element) => element.getAttribute("data-outcome"));
  assert.equal(outcome, [...Array(7).fill("rejected"), "fulfilled"].join());
  assert.equal(await page.title(), "reached");
  assert.equal(secret.connections(), 0);
  const refused = proxy.refusals().filter(({ port }) => port === secret.port);
  assert.deepEqual(new Set(refused.map(({ host }) => host)), new Set(["127.0.0.1", "localhost", "[::ffff:7f00:1]"]));
  assert.deepEqual(new Set(refused.map(({ reason }) => reason)), new Set(["private_address"]));

  proxy.end();
  await assert.rejects(page.goto(`http://127.0.0.1:${origin.port}/after`));
  proxy.begin("two");
  assert.equal((await page.goto(`http://127.0.0.1:${origin.port}/data.json`))?.status(), 200);
});

/** Accepts a WebSocket (RFC 6455, 4.2.2) and sends `hi`. */
function acceptWebSocket(req: IncomingMessage, socket: Socket): void {
  const accept = createHash("sha1").update(`${req.headers["sec-websocket-key"]}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest("base64");
  const head = `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`;
  socket.on("error", () => {});
  socket.write(Buffer.concat([Buffer.from(head), Buffer.from([0x81, 2]), Buffer.from("hi")]));
}

/** `public.example` with http, https and WebSockets. `portFor` maps its ports, 80 and 443, to those of this machine. */
async function startSite(t: TestContext) {
  const { key, cert, spkiHash } = createCertificate("public.example");
  const cors = { "access-control-allow-origin": "*" };
  const plain = await startOrigin(t, (_req, res) => res.writeHead(200, { ...cors, "content-type": "text/html" }).end("plain"));
  plain.server.on("upgrade", acceptWebSocket);
  const secureServer = createSecureServer({ key, cert }, (_req, res) => void res.writeHead(200, cors).end("secure"));
  secureServer.on("upgrade", acceptWebSocket);
  const secure = await startServer(t, secureServer);
  return { spkiHash, portFor: (port: number) => (port === 443 ? secure.port : plain.port) };
}

test("http, https and WebSockets work by name, IPv4 and IPv6, and only the proxy resolves names", async (t) => {
  const { portFor, spkiHash } = await startSite(t);
  const dialled: string[] = [];
  const resolved: string[] = [];
  const proxy = await openProxy(t, {
    resolve: async (host) => {
      resolved.push(host);
      return host === "public.example" ? ["93.184.215.14"] : [];
    },
    connect: ({ host, port, ...options }) => {
      dialled.push(`${host} ${port}`);
      return connect({ ...options, host: "127.0.0.1", port: portFor(port) });
    },
  });
  const page = await openPage(t, proxy.proxyServer, `--ignore-certificate-errors-spki-list=${spkiHash}`);
  proxy.begin("one");
  await page.goto("http://public.example/");
  const bodies = await page.evaluate(() => {
    const text = (url: string) => fetch(url).then((answer) => answer.text());
    const firstMessage = (url: string) =>
      new Promise((resolve, reject) =>
        Object.assign(new WebSocket(url), { onmessage: (event: MessageEvent) => resolve(event.data), onerror: reject }),
      );
    const hosts = ["public.example", "93.184.215.14", "[2606:4700::1111]"];
    const all = hosts.flatMap((host) => [
      text(`http://${host}/`),
      text(`https://${host}/`),
      firstMessage(`ws://${host}/`),
      firstMessage(`wss://${host}/`),
    ]);
    return Promise.all(all.map((one) => one.catch(String)));
  });
  assert.deepEqual(bodies, Array(3).fill(["plain", "secure", "hi", "hi"]).flat());
  const expected = ["93.184.215.14 80", "93.184.215.14 443", "2606:4700::1111 80", "2606:4700::1111 443"];
  assert.deepEqual(new Set(dialled), new Set(expected));
  assert.deepEqual(new Set(resolved), new Set(["public.example"]));
  assert.deepEqual(proxy.refusals(), []);
});

for (const protocol of ["http", "socks5"] as const) {
  test(`a page's http, https and WebSockets go through a ${protocol} proxy, and nothing goes elsewhere`, async (t) => {
    const { portFor, spkiHash } = await startSite(t);
    const through = await startProxy(t, protocol, {
      ...{ user: "ada", password: "s3cret" },
      dial: (_host, port) => connect({ host: "127.0.0.1", port: portFor(port) }),
    });
    const dialled = new Set<string>();
    const proxy = await openProxy(t, {
      resolve: async () => ["93.184.215.14"],
      connect: ({ host, port, ...options }) => {
        dialled.add(`${host} ${port}`);
        return connect({ ...options, host: "127.0.0.1", port: through.port });
      },
    });
    const page = await openPage(t, proxy.proxyServer, `--ignore-certificate-errors-spki-list=${spkiHash}`);
    const upstream = parseProxyUrl(through.url.replace("127.0.0.1", "9.9.9.9"), true);
    proxy.begin("one", undefined, upstream);
    await page.goto("http://public.example/");
    const said = await page.evaluate(async () => {
      const text = (url: string) => fetch(url).then((answer) => answer.text());
      const firstMessage = (url: string) =>
        new Promise((resolve, reject) =>
          Object.assign(new WebSocket(url), { onmessage: (event: MessageEvent) => resolve(event.data), onerror: reject }),
        );
      const all = [text("/"), text("https://public.example/"), firstMessage("ws://public.example/"), firstMessage("wss://public.example/")];
      return await Promise.all(all.map((one) => one.catch(String)));
    });
    assert.deepEqual(said, ["plain", "secure", "hi", "hi"]);
    assert.deepEqual(new Set(through.asked), new Set(["public.example:80", "public.example:443"]));
    assert.deepEqual(dialled, new Set([`9.9.9.9 ${through.port}`]));
    assert.deepEqual(proxy.refusals(), []);
  });
}

test("connections are reused, and a request on one that the origin has closed is retried", async (t) => {
  const served = new Map<Socket, number>();
  const origin = await startOrigin(t, (req, res) => {
    const count = served.get(req.socket) ?? 0;
    served.set(req.socket, count + 1);
    if (req.url === "/again" && count > 0) req.socket.destroy();
    else res.end("hello");
  });
  const proxy = await openProxy(t, { allowed: "127.0.0.1" });
  const page = await openPage(t, proxy.proxyServer);
  proxy.begin("one");
  await page.goto(`http://127.0.0.1:${origin.port}/`);
  const text = (path: string) => page.evaluate(async (url) => (await fetch(url, { cache: "no-store" })).text(), path);
  for (const path of ["/a", "/b", "/c"]) assert.equal(await text(path), "hello");
  const before = served.size;
  assert.ok(
    [...served.values()].some((count) => count >= 4),
    "one connection served the page and its requests",
  );
  assert.equal(await text("/again"), "hello");
  assert.equal(served.size, before + 1);
  assert.deepEqual(proxy.refusals(), []);
});

test("a truncated response fails in the page for every framing; a complete one succeeds", async (t) => {
  const heads: Record<string, string> = {
    "/length": "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n",
    "/chunked": "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n",
    "/neither": "HTTP/1.0 200 OK\r\n\r\n",
    "/whole": "HTTP/1.0 200 OK\r\n\r\n",
  };
  const origin = await startTcpOrigin(t, (socket) => {
    socket.once("data", (request: Buffer) => {
      const path = request.toString("latin1").split(" ")[1] ?? "";
      const head = heads[path] ?? "HTTP/1.0 200 OK\r\nContent-Type: text/html\r\n\r\n";
      if (path === "/" || path === "/whole") socket.end(`${head}hello`);
      else socket.write(`${head}hello`, () => setImmediate(() => socket.resetAndDestroy()));
    });
  });
  const proxy = await openProxy(t, { allowed: "127.0.0.1" });
  const page = await openPage(t, proxy.proxyServer);
  proxy.begin("one");
  await page.goto(`http://127.0.0.1:${origin.port}/`);
  const outcomes = await page.evaluate(
    (paths) =>
      Promise.all(
        paths.map((path) =>
          fetch(path)
            .then((answer) => answer.text())
            .catch(() => "failed"),
        ),
      ),
    Object.keys(heads),
  );
  assert.deepEqual(outcomes, ["failed", "failed", "failed", "hello"]);
});

longTest("a page with 200 images from 30 hosts loads completely", async (t) => {
  const pixel = Buffer.from("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7", "base64");
  const images = Array.from({ length: 200 }, (_, index) => `<img src="http://host${index % 30}.example/${index}.gif">`).join("");
  const origin = await startOrigin(t, (req, res) => {
    if (req.url === "/") res.writeHead(200, { "content-type": "text/html" }).end(images);
    else res.writeHead(200, { "content-type": "image/gif" }).end(pixel);
  });
  const proxy = await openProxy(t, {
    limits: { socketsMax: 256 },
    resolve: async () => ["93.184.215.14"],
    connect: (options) => connect({ ...options, host: "127.0.0.1", port: origin.port }),
  });
  const page = await openPage(t, proxy.proxyServer);
  proxy.begin("one");
  await page.goto("http://host0.example/");
  assert.equal(await page.evaluate(() => [...document.images].filter(({ naturalWidth }) => naturalWidth === 1).length), 200);
  assert.deepEqual(proxy.refusals(), []);
});
