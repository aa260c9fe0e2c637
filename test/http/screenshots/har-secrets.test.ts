/** `har_secrets`: who may get an archive with credentials, and that nobody else gets it. */

import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { test } from "node:test";
import { createSignatures } from "../../../src/accounts/keys/restrictions.ts";
import { systemClock } from "../../../src/shared/clock.ts";
import { createApiKey } from "../../accounts/accounts.ts";
import { eventually } from "../../support/eventually.ts";
import { fileScope } from "../../support/scope.ts";
import { startService } from "../../support/service.ts";
import { createSite } from "../../support/site.ts";

const scope = fileScope();
const site = await createSite(scope, { "/": "<p>Page" });
const service = await startService(scope, { EGRESS_ALLOWED_HOSTS: site.host });
const { key, userId } = await service.createAccount();
const { rows } = await service.pool.query("select email from users where id = $1", [userId]);
const { rows: keys } = await service.pool.query("select id from api_keys where user_id = $1", [userId]);
const another = (rules: Parameters<typeof createApiKey>[2]) => createApiKey(service.database, rows[0].email, rules);
const url = `${site.origin}/`;
const wanted = { url, format: "har", authorization: "Basic a-4711", har_secrets: "true" };

async function archive(options: Record<string, string>, headers: Record<string, string> = {}) {
  const response = await service.take({ api_key: key, ...options }, headers);
  const text = await response.text();
  assert.equal(response.status, 200, text);
  return { text, cache: response.headers.get("x-cache"), control: response.headers.get("cache-control") };
}

test("har_secrets: never shares a cached archive with requests without it, and is kept out of other caches", async () => {
  const cached = { is_cached: "true", api_key: key };
  const first = await archive({ ...wanted, ...cached });
  assert.match(first.text, /Basic a-4711/);
  assert.deepEqual([first.cache, first.control], ["MISS", "no-store"]);
  let again = first;
  await eventually("the archive is stored", async () => {
    again = await archive({ ...wanted, ...cached });
    return again.cache === "HIT";
  });
  assert.equal(again.control, "no-store");
  assert.match(again.text, /Basic a-4711/);
  const without = await archive({ ...wanted, ...cached, har_secrets: "false" });
  assert.equal(without.cache, "MISS");
  assert.doesNotMatch(without.text, /4711/);
});

test("har_secrets: at the same time as a request without it, each gets its own archive", async () => {
  const both = await Promise.all(["true", "false"].map((har_secrets) => archive({ ...wanted, har_secrets })));
  assert.deepEqual(
    both.map(({ text }) => text.includes("Basic a-4711")),
    [true, false],
  );
});

test("har_secrets: keys that visitors can see and signed links are refused, even for a stored archive", async () => {
  await archive({ ...wanted, is_cached: "true" });
  const embedded = await another({ domains: ["example.com"] });
  const visitor = { origin: "https://example.com" };
  const refused = await service.take({ ...wanted, is_cached: "true", api_key: embedded }, visitor);
  assert.equal((await refused.json()).code, "domain_not_allowed");
  assert.doesNotMatch((await archive({ ...wanted, har_secrets: "false", is_cached: "true", api_key: embedded }, visitor)).text, /4711/);
  const secret = createSignatures(service.env.AUTH_SECRET ?? "", systemClock).secretOf(keys[0].id);
  const query = new URLSearchParams({ api_key: key, ...wanted, is_cached: "true" }).toString();
  const signature = createHmac("sha256", secret).update(query).digest("hex");
  const signed = await fetch(`${service.origin}/v1/screenshots/take?${query}&signature=${signature}`);
  assert.match((await signed.json()).error, /^har_secrets can't be part of a signed link/);
  const bound = await another({ targets: [site.host] });
  assert.match((await archive({ ...wanted, api_key: bound })).text, /Basic a-4711/);
});

test("har_secrets: several outputs, queued captures and batches are refused in the same way before they are queued", async () => {
  const embedded = await another({ domains: ["example.com"] });
  const output = { format: "har", har_secrets: true };
  for (const [path, body] of [
    ["/v1/captures", { url, outputs: [output] }],
    ["/v1/captures", { url, async: true, outputs: [{ format: "png" }, output] }],
    ["/v1/batches", { captures: [{ url, outputs: [output] }] }],
  ] as const) {
    const headers = { "x-api-key": embedded, origin: "https://example.com", "content-type": "application/json" };
    const response = await fetch(service.origin + path, { method: "POST", headers, body: JSON.stringify(body) });
    assert.equal((await response.json()).code, "domain_not_allowed", `${path} ${JSON.stringify(body)}`);
    const own = await service.send("POST", path, key, body);
    assert.ok(own.status < 300, JSON.stringify(own.json));
    const session = path === "/v1/batches" ? { shared: { session: "shop" } } : { session: "shop" };
    const inSession = await service.send("POST", path, key, { ...body, ...session });
    assert.match(inSession.json.error, /har_secrets can't be combined with session/);
  }
});

test("har_secrets: the link to the stored file keeps it out of caches, too; an image's link doesn't", async () => {
  const controlOf = async (options: Record<string, string>) => {
    const described = await service.take({ api_key: key, ...options, response_type: "json" });
    const { url: link } = (await described.json()) as { url: string };
    const stored = await fetch(link);
    assert.equal(stored.status, 200, await stored.text());
    return stored.headers.get("cache-control");
  };
  assert.equal(await controlOf(wanted), "no-store");
  assert.equal(await controlOf({ url }), "private, max-age=3600, immutable");
});
