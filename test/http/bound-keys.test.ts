/**
 * Two keys of one account share cached screenshots only of targets that both allow, and never with a key that is exposed to a page's
 * visitors.
 */

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { before, test } from "node:test";
import { createApiKey } from "../accounts/accounts.ts";
import { eventually } from "../support/eventually.ts";
import { readPixels } from "../support/image.ts";
import { longOnly } from "../support/long-only.ts";
import { fileScope } from "../support/scope.ts";
import { startService, type TestService } from "../support/service.ts";
import { colouredPage, createSite, type Site } from "../support/site.ts";

const longTest = longOnly(test);
const scope = fileScope();
let site: Site;
let elsewhere: Site;
let service: TestService;
/** May capture anything. */
let free: string;
/** May capture only `site`. */
let bound: string;
/** For pages on one domain. */
let publicKey: string;
const pageOrigin = "https://app.example";

before(async () => {
  site = await createSite(scope);
  elsewhere = await createSite(scope, { "/": colouredPage("#0000ff") });
  service = await startService(scope, { EGRESS_ALLOWED_HOSTS: `${site.host},${elsewhere.host}` });
  const account = await service.createAccount();
  free = account.key;
  const { rows } = await service.pool.query("select email from users where id = $1", [account.userId]);
  bound = await createApiKey(service.database, rows[0].email, { targets: [site.host] });
  publicKey = await createApiKey(service.database, rows[0].email, { domains: ["app.example"] });
});

async function take(key: string, path: string, options: Record<string, string> = {}): Promise<string> {
  const response = await service.take({ api_key: key, url: site.origin + path, width: "20", height: "10", ...options });
  const body = await response.text();
  return response.status < 400 ? `${response.status} ${response.headers.get("x-cache")}` : JSON.parse(body).code;
}

test("a key doesn't get a cached screenshot of a page that redirected to a forbidden site", async () => {
  site.serve({
    "/away": (_, response) => response.writeHead(302, { location: `${elsewhere.origin}/` }).end(),
    "/here": colouredPage("#ff0000"),
  });
  for (const path of ["/away", "/here"]) assert.equal(await take(free, path, { is_cached: "true", response_type: "empty" }), "204 MISS");
  assert.equal(await take(bound, "/here", { is_cached: "true" }), "200 HIT");
  assert.equal(await take(bound, "/away", { is_cached: "true" }), "target_not_allowed");
  assert.equal(await take(free, "/away", { is_cached: "true" }), "200 HIT");
});

test("only keys with the same targets share a running capture, successful or not", async () => {
  const asked = Promise.withResolvers<void>();
  let arrived = 0;
  site.serve({
    "/soon-away": (_, response) => {
      arrived += 1;
      if (arrived === 2) asked.resolve(); // one request with each key is in flight
      void asked.promise.then(() => response.writeHead(302, { location: `${elsewhere.origin}/` }).end());
    },
  });
  const answers = await Promise.all([free, bound, free, bound].map((key) => take(key, "/soon-away")));
  assert.deepEqual([answers[0], answers[2]].toSorted(), ["200 COALESCED", "200 MISS"]);
  assert.deepEqual([answers[1], answers[3]], ["target_not_allowed", "target_not_allowed"]);
});

test("a restricted key can read and cancel only the captures and batches that it created, whatever other ids and idempotency keys it is sent with", async () => {
  site.serve({ "/": colouredPage("#ff0000") });
  const send = async (method: string, path: string, key: string, body?: object, once?: string) => {
    const headers = {
      "x-api-key": key,
      origin: pageOrigin,
      ...(body ? { "content-type": "application/json" } : {}),
      ...(once ? { "idempotency-key": once } : {}),
    };
    const response = await fetch(service.origin + path, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) });
    const text = await response.text();
    const { id = "", code = "" } = text.startsWith("{") ? JSON.parse(text.split("\n", 1)[0] ?? "") : {};
    return { status: response.status, id, code };
  };
  const url = `${site.origin}/`;
  const bodies = {
    captures: { url, width: 20, height: 10, outputs: [{}], async: true },
    batches: { shared: { width: 20, height: 10 }, captures: [{ url }] },
  };
  for (const mine of [bound, publicKey])
    for (const [kind, body] of Object.entries(bodies)) {
      const path = `/v1/${kind}`;
      const once = randomUUID();
      const more = kind === "captures" ? ["?wait=30"] : ["", "/results?follow=true", "/events", "/zip"];
      const own = await send("POST", path, mine, body);
      const other = await send("POST", path, free, body, once);
      assert.deepEqual([own.status, other.status], [202, 202]);
      for (const end of more) {
        const { status, code } = await send("GET", `${path}/${other.id}${end}`, mine);
        assert.deepEqual([status, code], [404, "not_found"], `${kind} ${end}`);
        for (const key of [mine, free]) assert.equal((await send("GET", `${path}/${own.id}${end}`, key)).status, 200, `${kind} ${end}`);
      }
      assert.equal((await send("DELETE", `${path}/${other.id}`, mine)).code, "not_found");
      assert.equal((await send("POST", path, mine, body, once)).code, "idempotency_key_reused");
      assert.equal((await send("POST", path, free, body, once)).id, other.id);
    }
});

test("a domain-restricted key can only compare screenshots that it took, by id or with compare_to", async () => {
  site.serve({ "/": colouredPage("#ff0000") });
  const headers = { origin: pageOrigin };
  const asked = { url: `${site.origin}/`, width: "20", height: "10", format: "png", response_type: "json" };
  const take = async (key: string, more: Record<string, string> = {}) => {
    const query = new URLSearchParams({ ...asked, api_key: key, ...more });
    const response = await fetch(`${service.origin}/v1/screenshots/take?${query}`, { headers });
    const { id = "", code = "" } = (await response.json()) as { id?: string; code?: string };
    return { id, code };
  };
  const compare = async (key: string, before: string, after: string) => {
    const body = JSON.stringify({ before, after });
    const sent = { ...headers, "x-api-key": key, "content-type": "application/json" };
    return (await fetch(`${service.origin}/v1/compare`, { method: "POST", headers: sent, body })).status;
  };
  const [own, another] = [await take(publicKey), await take(free)];
  const isStored = async () => (await compare(free, own.id, another.id)) === 200;
  await eventually("both are stored", isStored);
  assert.equal(await compare(publicKey, own.id, own.id), 200);
  assert.equal(await compare(publicKey, own.id, another.id), 404);
  assert.equal(await compare(publicKey, another.id, own.id), 404);
  assert.equal((await take(publicKey, { compare_to: another.id })).code, "not_found");
  assert.equal((await take(publicKey, { compare_to: own.id })).code, "");
  assert.equal((await take(free, { compare_to: own.id })).code, "");
});

/**
 * A red page tall enough to be captured in tiles; `ms` milliseconds after the first tile has begun, it navigates to a blue page on
 * another origin.
 */
const leavingPage = (ms: number) =>
  colouredPage(
    "#ff0000",
    `<div style="height:30000px"></div>
     <script>addEventListener("resize", () => setTimeout(() => { location = "${elsewhere.origin}/" }, ${ms}), { once: true })</script>`,
  );

longTest("a cached screenshot shows only the site of its URL, even if the page navigated away during the capture", async () => {
  for (const ms of [100, 200, 300]) {
    site.serve({ [`/leaves-${ms}`]: leavingPage(ms) });
    const asked = { url: `${site.origin}/leaves-${ms}`, full_page: "true", format: "png", width: "1000", is_cached: "true" };
    assert.equal((await service.take({ api_key: free, ...asked })).status, 200);
    const response = await service.take({ api_key: bound, ...asked });
    if (response.status !== 200) continue; // it was stored under the other site's URL
    const pixel = readPixels(Buffer.from(await response.arrayBuffer()));
    for (let y = 0; y < 30_000; y += 1_000)
      assert.equal(pixel(500, y), "#ff0000", `${y} pixels from the top, when the page left after ${ms} ms`);
  }
});
