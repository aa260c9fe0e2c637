/** Crawls as their sites see them: the addresses and times of requests. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { eventually } from "../../support/eventually.ts";
import { proxyAddress, startProxy } from "../../support/proxies.ts";
import { type Json, startService, type TestService } from "../../support/service.ts";
import { createSite, type Page } from "../../support/site.ts";

const shared = { width: 200, height: 100, format: "text" };
const page = (links: string[]) => `<!doctype html><title>page</title>${links.map((href) => `<a href="${href}">link</a>`).join(" ")}`;

async function ended(service: TestService, key: string, id: string): Promise<Json> {
  let state: Json;
  const isEnded = async () => {
    state = (await service.send("GET", `/v1/batches/${id}`, key)).json;
    return state.status === "done";
  };
  await eventually("the crawl has ended", isEnded, 100_000);
  return state;
}

test("Crawl-delay: no two pages are requested closer to each other, as the site sees them", async (t) => {
  const times: number[] = [];
  const noting =
    (body: string): Page =>
    (_request, response) => {
      times.push(performance.now());
      response.setHeader("content-type", "text/html").end(body);
    };
  const slow = await createSite(t, {
    "/robots.txt": "User-agent: *\nCrawl-delay: 2",
    "/": noting(page(["one", "two"])),
    "/one": noting(page([])),
    "/two": noting(page([])),
  });
  const own = await startService(t, { EGRESS_ALLOWED_HOSTS: slow.host, JOB_PAUSE_PER_HOST_MS: "0", MAX_CONCURRENT_JOBS: "2" });
  const account = await own.createAccount();
  const outputs = [{ format: "text" }, { format: "markdown", locale: "de-DE" }]; // which need a load each
  const { json } = await own.send("POST", "/v1/batches", account.key, { shared: { outputs }, crawl: { url: `${slow.origin}/` } });
  await ended(own, account.key, json.id);
  const gaps = times.slice(1).map((time, index) => Math.round(time - (times[index] ?? 0)));
  assert.equal(gaps.length, 5, gaps.join(" "));
  // On a busy machine, the site notices a page up to a tenth of the delay after it was requested.
  assert.ok(
    gaps.every((gap) => gap >= 1_800),
    `${gaps.join(", ")} ms`,
  );
});

test("robots.txt and all pages of a crawl are requested through its proxy", async (t) => {
  const seen: string[] = [];
  const through = await createSite(t);
  const noting =
    (body: string): Page =>
    ({ socket, url }, response) => {
      seen.push(`${url} ${socket.remoteAddress}`);
      response.setHeader("content-type", url === "/robots.txt" ? "text/plain" : "text/html");
      // As from another country, other rules apply.
      response.end(url !== "/robots.txt" ? body : socket.remoteAddress === proxyAddress ? "User-agent: *\nDisallow: /closed" : "");
    };
  through.serve({
    "/": noting(page(["open", "closed"])),
    "/open": noting(page([])),
    "/closed": noting(page([])),
    "/robots.txt": noting(""),
  });
  const [http, socks] = [await startProxy(t, "http", { user: "me", password: "secret" }), await startProxy(t, "socks5")];
  const own = await startService(t, {
    EGRESS_ALLOWED_HOSTS: `${through.host},127.0.0.1`,
    PROXIES: `de=${http.url}`,
    PROXY_BY_REQUEST: "true",
    JOB_PAUSE_PER_HOST_MS: "0",
  });
  const account = await own.createAccount();
  const crawl = { url: `${through.origin}/` };
  for (const proxied of [{ country: "de" }, { proxy: socks.url }]) {
    seen.length = 0;
    const { json } = await own.send("POST", "/v1/batches", account.key, { shared: { ...shared, ...proxied }, crawl });
    const state = await ended(own, account.key, json.id);
    assert.deepEqual(
      state.crawl.left_out.map(({ reason, count }: Json) => [reason, count]),
      [["robots", 1]],
    );
    assert.deepEqual(
      seen.filter((one) => !one.startsWith("/favicon.ico")).sort(),
      ["/", "/open", "/robots.txt"].map((path) => `${path} ${proxyAddress}`),
    );
  }
});
