/** The wall with a real browser behind it: nothing but the lane leads out. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { launch } from "puppeteer-core";
import { openLane, startOrigin, startTcpOrigin } from "./proxy-client.ts";

test("a page reaches what is allowed and nothing else, by no way that it tries", { timeout: 60_000 }, async (t) => {
  const executablePath = process.env.TEST_CHROMIUM;
  assert.ok(executablePath, "TEST_CHROMIUM must name a Chromium executable");
  const secret = await startTcpOrigin(t, (socket) => socket.destroy());
  const tries = `
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
    else res.setHeader("Content-Type", "text/html").end(`<!doctype html><title>page</title><body><script>${tries}</script>`);
  });
  const lane = await openLane(t, { allowed: `127.0.0.1:${origin.port}` });

  const browser = await launch({
    executablePath,
    pipe: true,
    args: [
      `--proxy-server=${lane.proxyServer}`,
      "--proxy-bypass-list=<-loopback>",
      "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
      "--disable-quic",
      "--disable-background-networking",
      "--disable-dev-shm-usage",
    ],
  });
  t.after(() => browser.close());
  const page = await browser.newPage();
  lane.begin("one");
  await page.goto(`http://127.0.0.1:${origin.port}/`);
  await page.waitForSelector("[data-outcome]", { timeout: 20_000 });
  const outcome = await page.$eval("[data-outcome]", (element) => element.getAttribute("data-outcome"));
  assert.equal(outcome, [...Array(7).fill("rejected"), "fulfilled"].join());
  assert.equal(await page.title(), "reached");
  assert.equal(secret.connections(), 0);
  const refused = lane.refusals().filter(({ port }) => port === secret.port);
  assert.deepEqual(new Set(refused.map(({ host }) => host)), new Set(["127.0.0.1", "localhost", "[::ffff:7f00:1]"]));
  assert.deepEqual(new Set(refused.map(({ reason }) => reason)), new Set(["private_address"]));

  lane.end();
  await assert.rejects(page.goto(`http://127.0.0.1:${origin.port}/after`));
});
