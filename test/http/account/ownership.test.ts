/** Account isolation: every operation of the management API, without a session and as another user. */

import assert from "node:assert/strict";
import { before, test } from "node:test";
import { managementOperations } from "../../../src/http/account/management.ts";
import { sellPlans } from "../../accounts/billing/set-up.ts";
import { startBillingDouble } from "../../support/billing/provider.ts";
import { eventually } from "../../support/eventually.ts";
import { fileScope } from "../../support/scope.ts";
import type { TestService } from "../../support/service.ts";
import { colouredPage, createSite } from "../../support/site.ts";
import { createVisitor, goodPassword, type Person, signedUp, startWithVisitors } from "../../support/visitor.ts";

const scope = fileScope();
let page: string;
let service: TestService;
let owner: Person;
let other: Person;
/** The owner's ids, by the prefix of the path in which they are used. */
let things: Record<string, string>;
/** Ids for further parameters of a path. */
let inner: Record<string, string>;

before(async () => {
  const site = await createSite(scope, { "/": colouredPage("#123456") });
  page = encodeURIComponent(`${site.origin}/`);
  const billing = await startBillingDouble(scope);
  service = await startWithVisitors(scope, {
    ROLE: "all",
    EGRESS_ALLOWED_HOSTS: site.host,
    WEBHOOK_ALLOW_HTTP: "true",
    ...billing.settings,
  });
  await sellPlans(service.database, { pro: billing.addProduct({ name: "Pro", amount: 1900 }) });
  [owner, other] = await Promise.all([signedUp(service, "Owner"), signedUp(service, "Other")]);
  const { key, secret } = (await owner.post("/v1/account/keys", { name: "the owner's" })).body;
  const taken = await owner.post(`/v1/account/playground?response_type=json&width=20&height=20&url=${page}`);
  assert.equal(taken.status, 200, JSON.stringify(taken.body));
  const { id: delivery } = (await owner.post("/v1/account/webhooks/test", { url: `${site.origin}/` })).body;
  await eventually("the test event was sent", async () => {
    return (await owner.get(`/v1/account/webhooks/deliveries/${delivery}`)).body.delivery.state !== "pending";
  });
  const started = await fetch(`${service.origin}/v1/batches`, {
    method: "POST",
    headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
    body: JSON.stringify({ captures: [{ url: decodeURIComponent(page), width: 20, height: 20 }] }),
  });
  const { id: batch } = (await started.json()) as { id: string };
  await eventually("the batch is done", async () => (await owner.get(`/v1/account/batches/${batch}`)).body.batch?.status === "done");
  await fetch(`${service.origin}/v1/sessions`, {
    method: "POST",
    headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
    body: JSON.stringify({ name: "shop", state: { cookies: [{ name: "a", value: "b", domain: "example.com" }] } }),
  });
  await owner.post("/v1/account/destinations", bucket(site.origin));
  const { id: watch } = (await owner.post("/v1/account/watches", { url: decodeURIComponent(page), width: 20, height: 20 })).body;
  const firstRun = async () => (await owner.get(`/v1/account/watches/${watch}`)).body.latest_run;
  await eventually("the watch has run", async () => (await firstRun())?.ended_at != null);
  await owner.post(`/v1/account/watches/${watch}/pause`);
  const [muted] = (await owner.post(`/v1/account/watches/${watch}/muted`, { selector: ".advert" })).body.muted;
  inner = { ":mute_id": muted.id, ":run_id": (await firstRun()).id };
  await service.services.usage.flush();
  await service.pool.query(
    "insert into webhook_addresses (user_id, url, paused_at, reason) values ($1, 'https://hooks.example/', now(), 'It responded with 410 Gone.')",
    [owner.userId],
  );
  const { paused } = (await owner.get("/v1/account/webhooks")).body;
  bodies.sendTestWebhook = { url: `${site.origin}/` };
  bodies.resendWebhook = { after_tries: 1 };
  const { sessions } = (await owner.get("/v1/account/sessions")).body;
  things = {
    "/v1/account/keys/": key.id,
    "/v1/account/batches/": batch,
    "/v1/account/screenshots/": taken.body.id,
    "/v1/account/sessions/": sessions[0].id,
    "/v1/account/webhooks/deliveries/": delivery,
    "/v1/account/webhooks/addresses/": paused[0].id,
    "/v1/account/watches/": watch,
    "/v1/account/page-sessions/": "shop",
    "/v1/account/destinations/": "archive",
    "/v1/admin/users/": owner.userId,
  };
  bodies.saveDestinationInDashboard = bucket(site.origin);
  bodies.createCapturesInPlayground = { url: decodeURIComponent(page), width: 20, height: 20, outputs: [{}] };
  bodies.createAccountBatch = { captures: [{ url: decodeURIComponent(page), width: 20, height: 20 }] };
  bodies.createWatchInDashboard = { url: decodeURIComponent(page) };
  bodies.deleteScreenshots = { ids: [taken.body.id] };
});

const bucket = (endpoint: string) => {
  return { name: "archive", endpoint, bucket: "shots", access_key_id: "a-key", secret_access_key: "a-secret" };
};

/** A body that would change something if the operation were allowed. */
const bodies: Record<string, object> = {
  changeAccount: { name: "changed" },
  changePassword: { current_password: goodPassword, new_password: "another good one" },
  createKey: { name: "made" },
  changeKey: { version: 1, name: "changed" },
  rotateKey: { version: 1 },
  savePageSessionInDashboard: { name: "shop", state: { cookies: [{ name: "sid", value: "1", domain: "example.com" }] } },
  checkDomains: { list: "domains", entries: [] },
  startCheckout: { plan_id: "pro" },
  setUserPlan: { plan_id: "pro" },
  changePlan: { name: "changed" },
  changeWatchInDashboard: { name: "changed" },
  acceptRunInDashboard: {},
  muteInDashboard: { selector: ".other" },
  deleteAccount: { password: goodPassword },
};

/** Operations that refuse accounts without the required setup, or a wrong proof; their own tests cover the details. */
const refused = [
  "sendEmailConfirmation",
  "startSecondFactor",
  "confirmSecondFactor",
  "removeSecondFactor",
  "renewRecoveryCodes",
  "startPasskey",
  "addPasskey",
];

/** Page sessions and destinations are identified by their owner's name for them. */
const hasId = (path: string) => /:(id|name)/.test(path);

const operations = managementOperations.filter(({ access }) => access !== "public");

for (const { id, method, path, access } of operations) {
  const pathOfOwner = () =>
    path
      .replace(/^(.*\/):(?:id|name)/, (_, beginning: string) => `${beginning}${things[beginning]}`)
      .replace(/:\w+_id/, (name) => inner[name] ?? name);

  test(`${id}: requires a session`, async () => {
    const { status, body } = await createVisitor(service).ask(method, pathOfOwner(), bodies[id]);
    assert.deepEqual([status, body.code], [401, "not_signed_in"]);
  });

  if (hasId(path) && access === "account") {
    test(`${id}: another user gets a 404, and nothing changes`, async () => {
      const before = await everything();
      const { status, body } = await other.ask(method, pathOfOwner(), bodies[id]);
      assert.deepEqual([status, body.code], [404, "not_found"]);
      assert.deepEqual(await everything(), before);
      for (const made of ["not-an-id", crypto.randomUUID()]) {
        const unknown = await other.ask(method, path.replace(/:(id|name)/, made), bodies[id]);
        assert.equal(unknown.status, 404);
        assert.equal(unknown.body.error, body.error, "the response is the same as for an id that never existed");
      }
    });
  }

  if (access === "admin") {
    test(`${id}: requires an administrator`, async () => {
      const before = await everything();
      const { status, body } = await other.ask(method, pathOfOwner(), bodies[id]);
      assert.deepEqual([status, body.code], [403, "not_permitted"]);
      assert.deepEqual(await everything(), before);
    });
  }
}

test("lists never contain anything from another account, whatever the filter", async () => {
  const keyId = things["/v1/account/keys/"];
  assert.deepEqual((await other.get("/v1/account/keys")).body.keys, []);
  for (const filter of ["", `?key_id=${keyId}`, "?key_id=playground", `?cursor=${"f".repeat(8)}-ffff-7fff-bfff-${"f".repeat(12)}`])
    assert.deepEqual((await other.get(`/v1/account/screenshots${filter}`)).body.screenshots, [], filter);
  assert.equal((await other.get("/v1/account/screenshots/count")).body.count, 0);
  await service.services.usage.flush();
  for (const filter of ["", `?key_id=${keyId}`, "?key_id=playground"])
    assert.deepEqual((await other.get(`/v1/account/usage${filter}`)).body.keys, [], filter);
  for (const filter of ["", "?state=failed", `?cursor=${things["/v1/account/webhooks/deliveries/"]}`])
    assert.deepEqual((await other.get(`/v1/account/webhooks/deliveries${filter}`)).body.deliveries, [], filter);
  assert.deepEqual((await other.get("/v1/account/webhooks")).body.paused, []);
  assert.equal((await other.get("/v1/account/sessions")).body.sessions.length, 1);
  assert.equal((await owner.get("/v1/account/screenshots")).body.screenshots.length, 4, "the owner's entries are there");
  for (const filter of ["", "?status=done", `?cursor=${"f".repeat(8)}-ffff-7fff-bfff-${"f".repeat(12)}`])
    assert.deepEqual((await other.get(`/v1/account/batches${filter}`)).body.batches, [], filter);
  assert.equal((await owner.get("/v1/account/batches")).body.batches.length, 1);
  for (const filter of ["", "?state=paused", `?before=${"f".repeat(8)}-ffff-7fff-bfff-${"f".repeat(12)}`])
    assert.deepEqual((await other.get(`/v1/account/watches${filter}`)).body.watches, [], filter);
  assert.equal((await owner.get("/v1/account/watches?state=paused")).body.watches.length, 1);
  assert.deepEqual((await other.get("/v1/account/page-sessions")).body.sessions, []);
  assert.equal((await owner.get("/v1/account/page-sessions")).body.sessions.length, 1);
  const own = (await other.post(`/v1/account/playground?response_type=json&width=20&height=20&url=${page}`)).body;
  const { newer_id, older_id } = (await other.get(`/v1/account/screenshots/${own.id}`)).body.screenshot;
  assert.deepEqual([newer_id, older_id], [null, null]);
});

test("operations without an id in the path concern the signed-in account", async () => {
  const own = operations.filter(({ path, access }) => access === "account" && !hasId(path));
  assert.ok(own.length > 8);
  const before = await everything();
  // In the order of the list, which ends with closing the account.
  for (const { id, method, path: address } of own.toSorted((a, b) => Number(a.id === "deleteAccount") - Number(b.id === "deleteAccount"))) {
    const path = id === "takeInPlayground" ? `${address}?dry_run=true&url=${page}` : address;
    const body = id === "deleteAccount" ? { password: "another good one" } : bodies[id];
    const { status } = await other.ask(method, path, body);
    assert.ok(refused.includes(id) ? status === 400 || status === 409 : status < 300, `${id}: ${status}`);
  }
  assert.deepEqual(await everything(), before);
});

/** All of the owner's rows, except for the time at which the session was last used. */
async function everything(): Promise<unknown> {
  const tables = [
    "api_keys",
    "screenshots",
    "captures",
    "batches",
    "watches",
    "sessions",
    "page_sessions",
    "destinations",
    "identities",
    "subscriptions",
    "usage_periods",
    "webhook_secrets",
    "webhook_deliveries",
    "webhook_addresses",
  ];
  const rows = await Promise.all(
    tables.map((table) =>
      service.pool.query(`select to_jsonb(t) - 'updated_at' as row from ${table} t where user_id = $1 order by 1`, [owner.userId]),
    ),
  );
  const { rows: user } = await service.pool.query("select * from users where id = $1", [owner.userId]);
  const ofWatches = await Promise.all(
    ["watch_runs", "watch_muted"].map((table) =>
      service.pool.query(`select to_jsonb(t) as row from ${table} t where watch_id = $1 order by 1`, [things["/v1/account/watches/"]]),
    ),
  );
  rows.push(...ofWatches);
  return [user, ...rows.map((result) => result.rows)];
}
