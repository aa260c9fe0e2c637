/** What a crawl owes to its sites: robots.txt as its captures would read it, and the site's Crawl-delay. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { delayVisit } from "../../../src/screenshots/crawl/crawl-records.ts";
import { proxyAddress, startProxy } from "../../support/proxies.ts";
import { fileScope } from "../../support/scope.ts";
import { startService } from "../../support/service.ts";
import { createSite } from "../../support/site.ts";

const scope = fileScope();
const seen: string[] = [];
/** As from another country, other rules apply through a proxy. */
const site = await createSite(scope, {
  "/robots.txt": ({ socket }, response) => {
    seen.push(String(socket.remoteAddress));
    response.setHeader("content-type", "text/plain").end(socket.remoteAddress === proxyAddress ? "User-agent: *\nDisallow: /" : "");
  },
});
const [http, socks] = [await startProxy(scope, "http", { user: "me", password: "secret" }), await startProxy(scope, "socks5")];
const service = await startService(scope, {
  EGRESS_ALLOWED_HOSTS: `${site.host},127.0.0.1`,
  PROXIES: `de=${http.url}\nus=socks5://127.0.0.1:1`,
  PROXY_BY_REQUEST: "true",
});
const { key, userId } = await service.createAccount();

test("robots.txt is read through the proxy of the captures, and never directly instead", async () => {
  const crawl = { url: `${site.origin}/` };
  const direct = await service.send("POST", "/v1/batches", key, { crawl });
  assert.equal(direct.status, 202, JSON.stringify(direct.json));
  await service.send("DELETE", `/v1/batches/${direct.json.id}`, key);
  assert.deepEqual(seen.splice(0), ["127.0.0.1"]);
  for (const shared of [{ country: "de" }, { proxy: socks.url }]) {
    const { json } = await service.send("POST", "/v1/batches", key, { shared, crawl });
    assert.equal(json.message, "crawl.url can't be crawled: its site's robots.txt disallows it.", JSON.stringify(shared));
    assert.deepEqual(seen.splice(0), [proxyAddress]);
  }
  const { json } = await service.send("POST", "/v1/batches", key, { shared: { country: "us" }, crawl });
  assert.match(json.message, /^crawl\.url can't be crawled: its robots\.txt /);
  assert.deepEqual(seen, []);
});

test("Crawl-delay: each load of a page waits for those before it, of any capture of the host with such a delay", async () => {
  const add = async (host: string, delay: string | null) => {
    const { rows } = await service.pool.query(
      `insert into captures (id, user_id, status, expires_at, host, crawl_delay, visited_at)
       values (gen_random_uuid(), $1, 'running', '2199-01-01', $2, $3::interval, clock_timestamp()) returning id`,
      [userId, host, delay],
    );
    return rows[0].id as string;
  };
  const began = performance.now();
  const waits: number[] = [];
  const load = async (id: string, isAgain = false) => waits.push(await delayVisit(service.database, id, isAgain));
  const first = await add("a.example", "2 s");
  await load(first);
  const [second, other, free] = [await add("a.example", "2 s"), await add("b.example", "2 s"), await add("a.example", null)];
  await load(second);
  await load(first, true);
  await load(other);
  await load(free);
  const lateMs = performance.now() - began;
  for (const [index, expected] of [0, 2_100, 4_200, 0, 0].entries()) {
    const wait = waits[index] ?? Number.NaN;
    assert.ok(wait <= expected && wait >= expected - lateMs, `${index}: ${wait} ms, not ${expected}`);
  }
});
