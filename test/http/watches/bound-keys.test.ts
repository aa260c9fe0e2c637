/** Watches and comparisons with a key that is restricted to targets, or to domains. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { createApiKey } from "../../accounts/accounts.ts";
import { fileScope } from "../../support/scope.ts";
import { colouredPage, createSite } from "../../support/site.ts";
import { startWatching } from "./watching.ts";

const scope = fileScope();
const elsewhere = await createSite(scope, { "/": colouredPage("#0000ff") });
const { site, service, send, settled, create, run } = await startWatching(scope, {
  EGRESS_ALLOWED_HOSTS: "127.0.0.1",
});
const small = { width: 40, height: 40, full_page: false };

const { key: free, userId } = await service.createAccount();
const { rows } = await service.pool.query("select email from users where id = $1", [userId]);
const bound = await createApiKey(service.database, rows[0].email, { targets: [site.host] });

test("watches: a target-restricted key can read and change only the watches that it created", async () => {
  const other = await settled(free, { url: `${elsewhere.origin}/`, ...small, cookies: ["session=secret"] });
  const own = await settled(bound, { url: `${site.origin}/`, ...small });
  const idsFor = async (key: string) => (await send("GET", "/v1/watches", key)).json.watches.map(({ id }: { id: string }) => id);
  assert.deepEqual([await idsFor(bound), await idsFor(free)], [[own.id], [own.id, other.id]]);
  const { rows: before } = await service.pool.query("select to_jsonb(w) as row from watches w where id = $1", [other.id]);
  for (const [method, path, body] of [
    ["GET", ""],
    ["PATCH", "", { url: `${site.origin}/` }],
    ["DELETE", ""],
    ["POST", "/run"],
    ["POST", "/pause"],
    ["POST", "/resume"],
    ["POST", "/accept", {}],
    ["POST", "/muted", { selector: "p" }],
    ["DELETE", `/muted/${own.id}`],
    ["GET", "/runs"],
    ["GET", `/runs/${other.accepted_run_id}`],
  ] as [string, string, object?][]) {
    const { status, json } = await send(method, `/v1/watches/${other.id}${path}`, bound, body);
    assert.deepEqual([status, json.code], [404, "not_found"], `${method} ${path}`);
  }
  const [body, once] = [{ url: `${site.origin}/`, every: "30d" }, { "idempotency-key": crypto.randomUUID() }];
  const { id } = (await send("POST", "/v1/watches", free, body, once)).json;
  assert.equal((await send("POST", "/v1/watches", bound, body, once)).json.code, "idempotency_key_reused");
  await send("DELETE", `/v1/watches/${id}`, free);
  const { rows: after } = await service.pool.query("select to_jsonb(w) as row from watches w where id = $1", [other.id]);
  assert.deepEqual(after, before);
  assert.equal((await run(bound, own.id)).status, "unchanged");
  assert.equal((await send("PATCH", `/v1/watches/${own.id}`, bound, { url: `${elsewhere.origin}/` })).json.code, "target_not_allowed");
  assert.equal((await send("PATCH", `/v1/watches/${own.id}`, free, { name: "Taken over" })).status, 200);
  assert.deepEqual(await idsFor(bound), [], "its captures now follow the rules of the other key");
});

test("watches: a run of a page that redirects to a forbidden target fails and stores no image", async () => {
  site.serve({ "/away": (_, response) => void response.writeHead(302, { location: `${elsewhere.origin}/` }).end() });
  const { id } = await create(bound, { url: `${site.origin}/away`, ...small });
  await send("POST", `/v1/watches/${id}/pause`, bound);
  const failed = await run(bound, id);
  assert.deepEqual([failed.status, failed.error.code, failed.screenshot], ["failed", "target_not_allowed", null]);
});

test("POST compare: a target-restricted key can't compare screenshots of other pages", async () => {
  site.serve({
    "/red": colouredPage("#ff0000"),
    "/off": (_, response) => void response.writeHead(302, { location: elsewhere.origin }).end(),
  });
  const captured = async (url: string) => {
    const { status, json } = await send("POST", "/v1/captures", free, { url, ...small, outputs: [{ format: "png" }] });
    assert.equal(status, 200, JSON.stringify(json));
    return json.outputs[0].id as string;
  };
  const [red, blue, off] = [
    await captured(`${site.origin}/red`),
    await captured(`${elsewhere.origin}/`),
    await captured(`${site.origin}/off`),
  ];
  assert.equal((await send("POST", "/v1/compare", bound, { before: red, after: red })).status, 200);
  for (const id of [blue, off]) {
    const { status, json } = await send("POST", "/v1/compare", bound, { before: red, after: id });
    assert.deepEqual([status, json.code], [404, "not_found"]);
    const later = { url: `${site.origin}/red`, ...small, outputs: [{ format: "png" }], compare_to: id };
    for (const more of [{}, { async: true }])
      assert.equal((await send("POST", "/v1/captures", bound, { ...later, ...more })).json.code, "not_found", "compare_to");
    assert.equal((await send("POST", "/v1/compare", free, { before: red, after: id })).status, 200);
  }
});

test("watches: a domain-restricted key, which visitors can see, can neither create nor read watches", async () => {
  const { key: embedded } = await service.createAccount({ domains: ["example.com"] });
  for (const [method, path] of [
    ["GET", "/v1/watches"],
    ["DELETE", `/v1/watches/${crypto.randomUUID()}`],
  ] as const) {
    const { status, json } = await send(method, path, embedded, undefined, { origin: "https://example.com" });
    assert.deepEqual([status, json.code], [403, "domain_not_allowed"], `${method} ${path}`);
    assert.match(json.message, /restricted to domains, so visitors to their pages can see it: it can't be used for watches/);
  }
});
