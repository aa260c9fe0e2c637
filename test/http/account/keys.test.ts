/** An account's keys over HTTP: created, changed, rotated and revoked, with the effect on requests. */

import assert from "node:assert/strict";
import { createHmac, randomUUID } from "node:crypto";
import { before, test } from "node:test";
import { eventually } from "../../support/eventually.ts";
import { fileScope } from "../../support/scope.ts";
import type { TestService } from "../../support/service.ts";
import { colouredPage, createSite, type Site } from "../../support/site.ts";
import { type Person, signedUp, startWithVisitors } from "../../support/visitor.ts";

const scope = fileScope();
let site: Site;
let service: TestService;

before(async () => {
  site = await createSite(scope, { "/": colouredPage("#00ff00") });
  service = await startWithVisitors(scope, { ROLE: "all", EGRESS_ALLOWED_HOSTS: site.host, DEFAULT_API_KEY_PREFIX: "tt_live" });
});

async function withKey(rules: object = {}): Promise<{ person: Person; id: string; secret: string; path: string }> {
  const person = await signedUp(service);
  const { status, body } = await person.post("/v1/account/keys", { name: "site", ...rules });
  assert.equal(status, 201, JSON.stringify(body));
  return { person, id: body.key.id, secret: body.secret, path: `/v1/account/keys/${body.key.id}` };
}

/** The result of using the key: the status, and the error code if it was refused. */
async function using(secret: string, headers: Record<string, string> = {}): Promise<string> {
  const response = await service.take({ api_key: secret, url: `${site.origin}/`, width: "20", height: "20", is_cached: "true" }, headers);
  if (response.status === 200) return `200${(await response.arrayBuffer()).byteLength > 0 ? "" : " empty"}`;
  return `${response.status} ${(await response.json()).code}`;
}

test("a new key is shown once; afterwards only a hint is", async () => {
  const { person, secret, path } = await withKey();
  assert.match(secret, /^tt_live_[0-9A-Za-z]{36}$/);
  for (const where of ["/v1/account/keys", path]) assert.ok(!JSON.stringify((await person.get(where)).body).includes(secret));
  const { key } = (await person.get(path)).body;
  assert.equal(key.hint, `${secret.slice(0, 12)}…${secret.slice(-4)}`);
  const { rows } = await service.pool.query("select * from api_keys where id = $1", [key.id]);
  assert.ok(!JSON.stringify(rows).includes(secret), "nor is it stored");
  assert.ok(!service.logged().includes(secret), "nor logged");
});

test("a change to allowed domains takes effect immediately", async () => {
  const { person, secret, path } = await withKey({ allowed_domains: ["Example.com", "https://*.example.org:443", "example.com"] });
  assert.deepEqual((await person.get(path)).body.key.allowed_domains, ["example.com", "https://*.example.org:443"]);
  assert.equal(await using(secret, { origin: "https://example.com" }), "200");
  assert.equal(await using(secret, { origin: "https://evil.example" }), "403 domain_not_allowed");
  assert.equal(await using(secret), "403 domain_not_allowed");
  const changed = await person.ask("PATCH", path, { version: 1, allowed_domains: ["evil.example"], allow_missing_origin: true });
  assert.deepEqual([changed.status, changed.body.key.version], [200, 2]);
  assert.equal(await using(secret, { origin: "https://evil.example" }), "200");
  assert.equal(await using(secret, { origin: "https://example.com" }), "403 domain_not_allowed");
  assert.equal(await using(secret), "200");
});

test("a key that expires at infinity, as an operator may write for never, works and is listed, and so does its account's usage", async () => {
  const { person, secret, path } = await withKey();
  const at = async (table: string, column: string, value: string) => {
    const owner = table === "users" ? "id" : "user_id";
    await service.pool.query(`update ${table} set ${column} = $2 where ${owner} = $1`, [person.userId, value]);
  };
  await at("api_keys", "expires_at", "infinity");
  assert.equal(await using(secret), "200");
  const { key } = (await person.get(path)).body;
  assert.deepEqual([key.state, key.expires_at], ["active", "9999-12-31T23:59:59.999Z"]);
  for (const column of ["created_at", "expires_at"]) await at("screenshots", column, "infinity");
  await at("subscriptions", "anchor", "-infinity");
  await at("users", "created_at", "-infinity");
  for (const list of ["", "/keys", "/usage", "/screenshots"]) assert.equal((await person.get(`/v1/account${list}`)).status, 200, list);
  assert.equal((await person.get("/v1/account/screenshots")).body.screenshots.length, 1);
  await at("api_keys", "expires_at", "-infinity");
  await service.pool.query("select pg_notify('accounts', '*')");
  await eventually("the key has expired", async () => (await using(secret)).startsWith("403"));
});

test("a key can only capture its allowed targets", async () => {
  const { secret } = await withKey({ allowed_targets: ["example.com"] });
  assert.equal(await using(secret), "403 target_not_allowed");
  const { secret: other } = await withKey({ allowed_targets: ["127.0.0.1"] });
  assert.equal(await using(other), "200");
});

test("a key that requires signatures accepts only requests signed with its secret", async () => {
  const { person, secret, path } = await withKey({ require_signature: true });
  assert.equal(await using(secret), "403 signature_invalid");
  const { signing_secret } = (await person.get(`${path}/signing-secret`)).body;
  const query = new URLSearchParams({ api_key: secret, url: `${site.origin}/`, width: "20", height: "20" }).toString();
  const signature = createHmac("sha256", signing_secret).update(query).digest("hex");
  const signed = `${query}&signature=${signature}`;
  assert.equal((await fetch(`${service.origin}/v1/screenshots/take?${signed}`)).status, 200);
  const state = { cookies: [{ name: "sid", value: "1", domain: "127.0.0.1" }] };
  assert.equal((await person.post("/v1/account/page-sessions", { name: "shop", state })).status, 201);
  for (const [method, route] of [
    ["GET", "sessions"],
    ["DELETE", "sessions/shop"],
    ["GET", "watches"],
    ["GET", "destinations"],
    ["GET", "screenshots"],
    ["GET", `captures/${randomUUID()}`],
    ["GET", `batches/${randomUUID()}`],
  ] as const) {
    const response = await fetch(`${service.origin}/v1/${route}?${signed}`, { method });
    const refused = `${response.status} ${((await response.json().catch(() => ({}))) as { code?: string }).code}`;
    assert.equal(refused, "403 signature_invalid", `the signature of a link is for screenshots, not for ${method} ${route}`);
  }
  await person.ask("PATCH", path, { version: 1, require_signature: false });
  assert.equal(await using(secret), "200");
});

test("disabling and enabling a key take effect immediately", async () => {
  const { person, secret, path } = await withKey();
  assert.equal(await using(secret), "200");
  const { body } = await person.ask("PATCH", path, { version: 1, enabled: false });
  assert.equal(body.key.state, "disabled");
  assert.equal(await using(secret), "403 invalid_api_key");
  assert.equal((await person.ask("PATCH", path, { version: 2, enabled: true })).body.key.state, "active");
  assert.equal(await using(secret), "200");
});

test("only one of two concurrent changes to a key succeeds; the other gets a 409 and overwrites nothing", async () => {
  const { person, path } = await withKey();
  const [first, second] = await Promise.all([
    person.ask("PATCH", path, { version: 1, name: "first", allowed_domains: ["first.example"] }),
    person.ask("PATCH", path, { version: 1, name: "second", allowed_domains: ["second.example"] }),
  ]);
  const [won, lost] = first.status === 200 ? [first, second] : [second, first];
  assert.deepEqual([won.status, lost.status, lost.body.code], [200, 409, "changed_meanwhile"]);
  const { key } = (await person.get(path)).body;
  assert.deepEqual([key.version, key.name, key.allowed_domains], [2, won.body.key.name, won.body.key.allowed_domains]);
  assert.equal((await person.post(`${path}/rotate`, { version: 1 })).body.code, "changed_meanwhile");
});

test("members that a change omits keep their values", async () => {
  const { person, path } = await withKey({ allowed_domains: ["example.com"], allow_missing_origin: true });
  const { body } = await person.ask("PATCH", path, { version: 1, name: "renamed" });
  assert.deepEqual(
    [body.key.name, body.key.allowed_domains, body.key.allow_missing_origin, body.key.enabled],
    ["renamed", ["example.com"], true, true],
  );
});

test("a rotated key works alongside the new one only during the grace period", async () => {
  const { person, id, secret, path } = await withKey({ allowed_targets: ["127.0.0.1"] });
  const { status, body } = await person.post(`${path}/rotate`, { version: 1 });
  assert.equal(status, 201);
  const { key, replaced } = body;
  assert.deepEqual([key.name, key.allowed_targets, key.version, key.state], ["site", ["127.0.0.1"], 1, "active"]);
  assert.deepEqual([replaced.id, replaced.state, replaced.replaced_by], [id, "replaced", key.id]);
  const hoursLeft = (Date.parse(replaced.expires_at) - Date.now()) / 3_600_000;
  assert.ok(hoursLeft > 23.9 && hoursLeft <= 24, `${hoursLeft} hours`);
  assert.deepEqual([await using(secret), await using(body.secret)], ["200", "200"]);
  assert.equal((await person.get("/v1/account")).body.keys.used, 1, "the old one doesn't count towards the plan's limit");
  await service.pool.query("update api_keys set expires_at = now() where id = $1", [id]);
  await eventually("its grace period is over", async () => (await using(secret)) === "403 invalid_api_key");
  assert.equal(await using(body.secret), "200");
});

test("repeated rotation doesn't create more and more valid keys", async () => {
  const { person, path, id } = await withKey();
  const { key } = (await person.post(`${path}/rotate`, { version: 1 })).body;
  const again = await person.post(`${path}/rotate`, { version: 2 });
  assert.deepEqual([again.status, again.body.code], [409, "not_possible"], "the old key");
  const next = await person.post(`/v1/account/keys/${key.id}/rotate`, { version: 1 });
  assert.deepEqual([next.status, next.body.code], [409, "not_possible"], "the new key, while the old one works");
  const longer = await person.ask("PATCH", path, { version: 2, expires_at: null });
  assert.deepEqual([longer.status, longer.body.code], [409, "not_possible"], "the old key's grace period never ends");
  await person.post(`/v1/account/keys/${id}/revoke`);
  assert.equal((await person.post(`/v1/account/keys/${key.id}/rotate`, { version: 1 })).status, 201);
});

test("a key whose replacement is revoked counts again, so alternating rotation and revocation can't add valid keys", async () => {
  const { person, path, secret } = await withKey();
  const { key } = (await person.post(`${path}/rotate`, { version: 1 })).body;
  await person.post("/v1/account/keys", { name: "second" });
  assert.equal((await person.post("/v1/account/keys", { name: "third" })).status, 201);
  await person.post(`/v1/account/keys/${key.id}/revoke`);
  const old = (await person.get(path)).body.key;
  assert.deepEqual([old.state, old.replaced_by, old.version], ["active", null, 3]);
  assert.ok(Date.parse(old.expires_at) > Date.now(), "its expiry stays the same");
  assert.equal(await using(secret), "200");
  assert.deepEqual((await person.get("/v1/account")).body.keys, { used: 3, max: 3 });
  assert.equal((await person.post("/v1/account/keys", { name: "fourth" })).body.code, "key_limit_reached");
});

test("a rotated key keeps every rule of the old one, including columns added later", async () => {
  const { person, id, path } = await withKey({
    allowed_domains: ["example.com"],
    allow_missing_origin: true,
    expires_at: "2199-01-01T00:00:00+02:00",
  });
  const { key } = (await person.post(`${path}/rotate`, { version: 1 })).body;
  const { rows } = await service.pool.query("select to_jsonb(k) as row from api_keys k where id in ($1, $2) order by id = $1 desc", [
    id,
    key.id,
  ]);
  const differs = Object.keys(rows[0].row).filter((column) => JSON.stringify(rows[0].row[column]) !== JSON.stringify(rows[1].row[column]));
  assert.deepEqual(differs.sort(), ["created_at", "expires_at", "hash", "hint", "id", "replaced_by", "version"]);
  assert.equal(key.expires_at, "2198-12-31T22:00:00.000Z");
});

test("a revoked key is refused immediately and permanently; revoking it again changes nothing", async () => {
  const { person, secret, path } = await withKey();
  assert.equal(await using(secret), "200");
  const first = await person.post(`${path}/revoke`);
  assert.equal(first.body.key.state, "revoked");
  assert.equal(await using(secret), "403 invalid_api_key");
  assert.deepEqual((await person.post(`${path}/revoke`)).body, first.body);
  const { status, body } = await person.ask("PATCH", path, { version: first.body.key.version, enabled: true });
  assert.deepEqual([status, body.code], [409, "not_possible"]);
});

test("the plan's maximum number of keys is never exceeded, even concurrently; revoking a key makes room for another", async () => {
  const person = await signedUp(service);
  const answers = await Promise.all(Array.from({ length: 8 }, (_, turn) => person.post("/v1/account/keys", { name: `key ${turn}` })));
  const made = answers.filter(({ status }) => status === 201);
  assert.equal(made.length, 3);
  for (const { status, body } of answers.filter((one) => !made.includes(one)))
    assert.deepEqual([status, body.code], [409, "key_limit_reached"]);
  assert.deepEqual((await person.get("/v1/account")).body.keys, { used: 3, max: 3 });
  await person.post(`/v1/account/keys/${made[0]?.body.key.id}/revoke`);
  assert.equal((await person.post("/v1/account/keys", { name: "next" })).status, 201);
});

test("each invalid rule is rejected with a message about its field", async () => {
  const { person, path } = await withKey();
  const { status, body } = await person.ask("PATCH", path, {
    version: 1,
    name: "x".repeat(101),
    allowed_domains: ["example.com", "*.co.uk", "https://example.com/blog"],
    expires_at: "tomorrow",
    hash: "",
  });
  assert.equal(status, 400);
  assert.deepEqual(
    body.details.map(({ parameter }: { parameter: string }) => parameter),
    ["name", "allowed_domains[1]", "allowed_domains[2]", "expires_at", "hash"],
  );
  assert.equal(body.details[1].message, `"*.co.uk" is not valid: co.uk is a public suffix, under which anyone can register a domain`);
  const past = await person.ask("PATCH", path, { version: 1, expires_at: "2001-01-01T00:00:00Z" });
  assert.deepEqual([past.status, past.body.details[0].message], [400, "expires_at must be in the future"]);
  for (const wrong of [{}, null, [], "text"]) {
    assert.equal((await person.ask("PATCH", path, wrong)).status, 400, JSON.stringify(wrong));
  }
});

test("the domain check predicts correctly how the key behaves", async () => {
  const person = await signedUp(service);
  const ask = async (question: object) => (await person.post("/v1/account/keys/check", { list: "domains", entries: [], ...question })).body;
  const { entries, verdict } = await ask({ entries: ["Bücher.de", "*.com"], address: "https://xn--bcher-kva.de/shelf?a=1" });
  assert.deepEqual(entries, [
    { input: "Bücher.de", entry: "xn--bcher-kva.de", problem: null },
    { input: "*.com", entry: null, problem: `"*.com" is not valid: com is a public suffix, under which anyone can register a domain.` },
  ]);
  assert.deepEqual(verdict, { allowed: true, entry: "xn--bcher-kva.de", reason: "xn--bcher-kva.de matches https://xn--bcher-kva.de." });
  const rows: [question: object, allowed: boolean | undefined][] = [
    [{ entries: ["example.com"], address: null }, undefined],
    [{ entries: ["example.com"], address: "example.com/a" }, true],
    [{ entries: ["example.com"], address: "https://www.example.com" }, false],
    [{ entries: ["*.com"], address: "https://example.com" }, false],
    [{ entries: [], address: "https://example.com" }, true],
    [{ entries: ["example.com"], address: "" }, false],
    [{ entries: ["example.com"], address: "", allow_missing_origin: true }, true],
    [{ entries: ["example.com"], address: "file:///etc/passwd" }, false],
    [{ entries: ["example.com"], address: "not a page's URL" }, false],
    [{ list: "targets", entries: ["https://example.com"], address: "http://example.com" }, false],
    [{ list: "targets", entries: ["https://example.com"], address: "https://example.com" }, true],
  ];
  for (const [question, allowed] of rows) assert.equal((await ask(question)).verdict?.allowed, allowed, JSON.stringify(question));
});

test("of very long keys and changes, at most a megabyte is listed at once: all keys in use, and every change on some page", async () => {
  const person = await signedUp(service);
  const { body } = await person.post("/v1/account/keys", { name: "in use" });
  const hosts = Array.from({ length: 50 }, (_, index) => `${`${"a".repeat(60)}.`.repeat(4)}${index}`);
  await service.database.query(
    `insert into api_keys (user_id, name, hash, hint, allowed_domains, allowed_targets, revoked_at, created_at)
     select $1, 'revoked', sha256(gen_random_uuid()::text::bytea), '', $2, $2, now(), now() + interval '1 hour' from generate_series(1, 150)`,
    [person.userId, hosts],
  );
  await service.database.query(
    `insert into audit_entries (id, action, via, actor_id, account_id, changes)
     select gen_random_uuid(), 'key.changed', 'dashboard', $1, $1, $2::jsonb from generate_series(1, 60)`,
    [person.userId, JSON.stringify([{ field: "allowed_domains", from: hosts, to: hosts }])],
  );
  const { keys } = (await person.get("/v1/account/keys")).body;
  assert.ok(JSON.stringify(keys).length < 1_000_000, `${keys.length} keys`);
  assert.ok(keys.length > 10 && keys.some(({ id }: { id: string }) => id === body.key.id));
  const read = async (cursor: string) => (await person.get(`/v1/account/audit?kind=key&limit=100${cursor && `&cursor=${cursor}`}`)).body;
  const seen = new Set<string>();
  for (let cursor: string | null = ""; cursor !== null; ) {
    const page: { entries: { id: string }[]; next_cursor: string | null } = await read(cursor);
    assert.ok(JSON.stringify(page).length < 1_000_000, `${page.entries.length} entries`);
    for (const { id } of page.entries) seen.add(id);
    cursor = page.next_cursor;
  }
  assert.equal(seen.size, 61);
});
