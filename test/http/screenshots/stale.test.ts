/** `stale_if_error` and `stale_while_revalidate`: stored screenshots older than the request's `cache_ttl`. */

import assert from "node:assert/strict";
import { before, test } from "node:test";
import { eventually } from "../../support/eventually.ts";
import { pixelAt } from "../../support/image.ts";
import { longOnly } from "../../support/long-only.ts";
import { fileScope } from "../../support/scope.ts";
import { startReplica, startService, type TestService } from "../../support/service.ts";
import { colouredPage, createSite, type Page, type Site } from "../../support/site.ts";
import { sign } from "../server/raw-targets.ts";

const longTest = longOnly(test);
const scope = fileScope();
const text = "<p>Opening hours: nine to five, Monday to Friday, and by appointment";
const reset: Page = (request) => void request.socket.destroy();
let site: Site;
let service: TestService;

before(async () => {
  site = await createSite(scope);
  service = await startService(scope, { EGRESS_ALLOWED_HOSTS: site.host });
});

const visits = (path: string) => site.requests.filter((request) => request.path === path).length;

async function usedBy(userId: string, of = service): Promise<number> {
  const { rows } = await of.pool.query("select used from usage_periods where user_id = $1", [userId]);
  return rows[0]?.used ?? 0;
}

/** Makes the account's stored screenshot of `url` older. */
async function makeOlder(userId: string, url: string, seconds: number): Promise<void> {
  const { cache } = service.services;
  const { rows } = await service.pool.query("select cache_key as key from screenshots where user_id = $1 and url = $2", [userId, url]);
  const found = await cache.find(userId, rows[0].key, 1e9);
  assert.ok(found);
  const { indexKey: _, ...entry } = found;
  await cache.forget(userId, rows[0].key, entry.id);
  await cache.remember(userId, rows[0].key, { ...entry, capturedAt: entry.capturedAt - seconds * 1000 }, 86_400);
}

/** An account with a stored red screenshot of `path`, `age` seconds old, and the parameters that request it. */
async function stored(path: string, parameters: Record<string, string>, age = 0) {
  site.serve({ [path]: colouredPage("#ff0000", text) });
  const account = await service.createAccount({ plan: "pro", quota: 100 });
  const asked = { api_key: account.key, url: `${site.origin}${path}`, format: "png", width: "200", height: "100", ...parameters };
  const first = await service.take({ ...asked, response_type: "json" }); // responds once the screenshot is stored
  assert.equal(((await first.json()) as { cache: string }).cache, "MISS");
  if (age > 0) await makeOlder(account.userId, asked.url, age);
  return { ...account, asked };
}

async function colourOf(response: Response): Promise<string> {
  assert.equal(response.status, 200);
  return pixelAt(new Uint8Array(await response.arrayBuffer()), 100, 90);
}

async function codeOf(response: Response): Promise<string> {
  return `${response.status} ${((await response.json()) as { code: string }).code}`;
}

test("stale_if_error: a failed capture returns the stored screenshot with its age and the error, free of charge", async () => {
  const { asked, userId } = await stored("/reset", { stale_if_error: "3600" }, 100);
  site.serve({ "/reset": reset });
  const answer = await service.take(asked);
  const { headers } = answer;
  assert.deepEqual([headers.get("x-cache"), headers.get("x-verdict"), headers.get("cache-control")], ["STALE", "ok", "public, no-cache"]);
  assert.ok(Number(headers.get("age")) >= 100, String(headers.get("age")));
  assert.equal(
    headers.get("x-warnings"),
    "the capture failed, so this is a stored screenshot: connection_failed: The target could not be reached.",
  );
  assert.equal(await colourOf(answer), "#ff0000");
  assert.equal(await usedBy(userId), 1);
  const { rows } = await service.pool.query("select status, error from screenshots where user_id = $1 order by id", [userId]);
  assert.deepEqual(rows, [
    { status: "done", error: null },
    { status: "failed", error: "connection_failed" },
  ]);
});

longTest("stale_if_error: JSON, HEAD, If-None-Match and empty responses work as they do for a capture", async () => {
  const { asked } = await stored("/forms", { stale_if_error: "3600" });
  site.serve({ "/forms": reset });
  const json = await (await service.take({ ...asked, response_type: "json" })).json();
  assert.equal(json.cache, "STALE");
  assert.match(json.warnings[0], /connection_failed/);
  assert.equal(await colourOf(await fetch(json.url)), "#ff0000");
  const query = new URLSearchParams(asked);
  const head = await fetch(`${service.origin}/v1/screenshots/take?${query}`, { method: "HEAD" });
  assert.deepEqual([head.status, head.headers.get("x-cache"), await head.text()], [200, "STALE", ""]);
  const unchanged = await service.take(asked, { "if-none-match": head.headers.get("etag") ?? "" });
  assert.deepEqual([unchanged.status, unchanged.headers.get("x-cache")], [304, "STALE"]);
  const empty = await service.take({ ...asked, response_type: "empty" });
  assert.deepEqual([empty.status, empty.headers.get("x-cache")], [204, "STALE"]);
});

longTest("stale_if_error: applies to every failure of the capture, including status, verdict, timeout and an exhausted quota", async () => {
  const failing = { fail_on_status: "500-599", fail_on_verdict: "error_page" };
  const { asked, userId } = await stored("/failing", { ...failing, stale_if_error: "3600", timeout: "3" });
  const warning = async () => {
    const { status, headers } = await service.take(asked);
    assert.deepEqual([status, headers.get("x-cache")], [200, "STALE"]);
    return headers.get("x-warnings") ?? "";
  };
  site.serve({ "/failing": (_, response) => void response.writeHead(503).end("maintenance") });
  assert.match(await warning(), /host_returned_error: The target returned status 503/);
  site.serve({ "/failing": (_, response) => void response.writeHead(404).end("no such page") });
  assert.match(await warning(), /unwanted_page/);
  site.serve({ "/failing": () => {} });
  assert.match(await warning(), /target_timeout: The target was not ready in time/);
  await service.pool.query("update usage_periods set used = 100 where user_id = $1", [userId]);
  assert.match(await warning(), /quota_exceeded/);
});

test("stale_if_error: works with signed requests, whose maximum age can't be altered", async () => {
  const { asked, userId, key } = await stored("/signed", { stale_if_error: "3600" });
  const { rows } = await service.pool.query("select id from api_keys where user_id = $1", [userId]);
  site.serve({ "/signed": reset });
  const query = new URLSearchParams(asked).toString();
  const signature = sign(query, { key, signingSecret: service.services.signatures.secretOf(rows[0].id) });
  const get = (text: string) => fetch(`${service.origin}/v1/screenshots/take?${text}&signature=${signature}`);
  assert.equal((await get(query)).headers.get("x-cache"), "STALE");
  assert.equal(await codeOf(await get(query.replace("3600", "360000"))), "403 signature_invalid");
});

longTest("stale_if_error: a screenshot that is too old is not used", async () => {
  const { asked } = await stored("/old", { stale_if_error: "60" }, 61);
  site.serve({ "/old": reset });
  assert.equal(await codeOf(await service.take(asked)), "400 connection_failed");
  assert.equal(await codeOf(await service.take({ ...asked, stale_if_error: "" })), "400 connection_failed");
});

test("stale_if_error: never returns another account's screenshot, or one with other options", async () => {
  const { asked } = await stored("/own", { stale_if_error: "3600", stale_while_revalidate: "3600" });
  site.serve({ "/own": reset });
  const other = await service.createAccount();
  assert.equal(await codeOf(await service.take({ ...asked, api_key: other.key })), "400 connection_failed");
  assert.equal(await codeOf(await service.take({ ...asked, width: "201" })), "400 connection_failed");
  assert.equal(await codeOf(await service.take({ ...asked, cache_key: "other" })), "400 connection_failed");
  assert.equal((await service.take(asked)).headers.get("x-cache"), "STALE");
});

longTest("stale_if_error: invalid requests still return an error", async () => {
  const { asked, userId } = await stored("/refused", { stale_if_error: "3600" });
  assert.equal(await codeOf(await service.take({ ...asked, format: "bmp" })), "400 invalid_parameters");
  await service.pool.query("update api_keys set allowed_targets = '{example.com}' where user_id = $1", [userId]);
  await eventually("the key has changed", async () => (await service.take(asked)).status === 403);
  assert.equal(await codeOf(await service.take(asked)), "403 target_not_allowed");
});

longTest("stale_if_error: error pages and partial screenshots are not stored for later use", async () => {
  const { asked } = await stored("/worse", { stale_if_error: "3600", on_timeout: "partial", timeout: "5" });
  site.serve({
    "/worse": (_, response) => void response.writeHead(500, { "content-type": "text/html" }).end(colouredPage("#0000ff", text)),
  });
  assert.equal((await (await service.take({ ...asked, response_type: "json" })).json()).verdict.kind, "error_page");
  site.serve({ "/worse": colouredPage("#0000ff", `${text}<img src="/hangs">`), "/hangs": () => {} });
  assert.equal((await (await service.take({ ...asked, response_type: "json" })).json()).verdict.kind, "partial");
  site.serve({ "/worse": reset });
  const stale = await service.take(asked);
  assert.equal(stale.headers.get("x-cache"), "STALE");
  assert.equal(await colourOf(stale), "#ff0000");
});

test("stale_if_error: returns the error if the stored image no longer exists", async () => {
  const { asked, userId } = await stored("/gone", { stale_if_error: "3600" });
  site.serve({ "/gone": reset });
  const { rows } = await service.pool.query("select object_key as key from screenshots where user_id = $1", [userId]);
  await service.services.store.remove(rows[0].key, AbortSignal.timeout(10_000));
  assert.equal(await codeOf(await service.take(asked)), "400 connection_failed");
});

longTest("stale_if_error: a screenshot deleted during the capture is not returned", async () => {
  const { asked, userId } = await stored("/deleted", { stale_if_error: "3600" });
  const { rows } = await service.pool.query("select id, cache_key as key from screenshots where user_id = $1", [userId]);
  const forgetAndReset: Page = (request) => {
    void service.services.cache.forget(userId, rows[0].key, rows[0].id).then(() => request.socket.destroy());
  };
  site.serve({ "/deleted": forgetAndReset });
  assert.equal(await codeOf(await service.take({ ...asked, response_type: "json" })), "400 connection_failed");
});

test("stale_while_revalidate: concurrent requests get the stored screenshot immediately, and one capture replaces it", async () => {
  const asking = { is_cached: "true", cache_ttl: "60", stale_while_revalidate: "3600" };
  const { asked, userId } = await stored("/refreshed", asking, 100);
  const loading = Promise.withResolvers<void>();
  site.serve({
    "/refreshed": (_, response) => void loading.promise.then(() => response.end(colouredPage("#00ff00", text))),
  });
  const described = await (await service.take({ ...asked, dry_run: "true" })).json();
  assert.equal(described.cache.state, "STALE");
  const answers = await Promise.all(Array.from({ length: 5 }, () => service.take(asked)));
  for (const answer of answers) {
    assert.equal(answer.headers.get("x-cache"), "STALE");
    assert.ok(Number(answer.headers.get("age")) >= 100);
    assert.equal(await colourOf(answer), "#ff0000");
  }
  await eventually("the background capture has started", async () => {
    await usedBy(userId);
    return visits("/refreshed") === 2;
  });
  loading.resolve();
  await eventually("the screenshot is replaced", async () => (await service.take(asked)).headers.get("x-cache") === "HIT");
  assert.equal(await colourOf(await service.take(asked)), "#00ff00");
  assert.deepEqual([visits("/refreshed"), await usedBy(userId)], [2, 2]);
});

longTest("stale_while_revalidate: replicas share one background capture", async (t) => {
  const asking = { is_cached: "true", cache_ttl: "60", stale_while_revalidate: "3600" };
  const { asked, userId } = await stored("/replicated", asking, 100);
  const replica = await startReplica(t, service);
  const loading = Promise.withResolvers<void>();
  site.serve({ "/replicated": (_, response) => void loading.promise.then(() => response.end(colouredPage("#00ff00", text))) });
  for (const one of [service, replica, service, replica]) {
    const answer = await one.take(asked);
    assert.deepEqual([answer.headers.get("x-cache"), await colourOf(answer)], ["STALE", "#ff0000"]);
  }
  loading.resolve();
  for (const one of [service, replica])
    await eventually("the screenshot is replaced", async () => (await one.take(asked)).headers.get("x-cache") === "HIT");
  assert.deepEqual([visits("/replicated"), await usedBy(userId)], [2, 2]);
});

test("stale_while_revalidate: a failed background capture is logged and in the history, costs nothing, and isn't repeated immediately", async () => {
  const url = `${site.origin}/broken?token=hush-query`;
  const { asked, userId } = await stored("/broken", { stale_while_revalidate: "3600", url });
  site.serve({ "/broken": reset });
  const failures = async () => {
    const { rows } = await service.pool.query("select error from screenshots where user_id = $1 and status = 'failed'", [userId]);
    return rows.map(({ error }) => error);
  };
  assert.equal((await service.take(asked)).headers.get("x-cache"), "STALE");
  await eventually("the failure is recorded", async () => (await failures()).length === 1);
  await eventually("the failure is logged", async () => {
    await failures();
    return service.logged().includes("failed to replace a stored screenshot in the background");
  });
  assert.ok(!service.logged().includes("hush-query"));
  for (let again = 0; again < 3; again += 1) assert.equal((await service.take(asked)).headers.get("x-cache"), "STALE");
  assert.deepEqual([await failures(), await usedBy(userId)], [["connection_failed"], 1]);
});

test("stale_while_revalidate: a screenshot that is too old is replaced before the response", async () => {
  const { asked } = await stored("/too-old", { stale_while_revalidate: "60" }, 61);
  const answer = await service.take(asked);
  assert.deepEqual([answer.status, answer.headers.get("x-cache")], [200, "MISS"]);
});

longTest("stale_while_revalidate: shutdown waits for background captures", async (t) => {
  const own = await startService(t, { EGRESS_ALLOWED_HOSTS: site.host });
  const account = await own.createAccount();
  site.serve({ "/last": colouredPage("#ff0000", text) });
  const asked = { api_key: account.key, url: `${site.origin}/last`, stale_while_revalidate: "3600" };
  assert.equal((await own.take({ ...asked, response_type: "empty" })).status, 204);
  const loading = Promise.withResolvers<void>();
  const requested = Promise.withResolvers<void>();
  site.serve({
    "/last": (_, response) => {
      requested.resolve();
      loading.promise.then(() => response.end(colouredPage("#00ff00", text)));
    },
  });
  const answer = await own.take(asked);
  assert.equal(answer.headers.get("x-cache"), "STALE");
  await answer.arrayBuffer();
  await requested.promise;
  const { userId } = account;
  const stopped = own.stop();
  loading.resolve();
  await stopped;
  const { rows } = await own.database.query<{ status: string }>("select status from screenshots where user_id = $1 order by id", [userId]);
  assert.deepEqual(rows, [{ status: "done" }, { status: "done" }]);
  assert.equal(await usedBy(userId, own), 2);
});
