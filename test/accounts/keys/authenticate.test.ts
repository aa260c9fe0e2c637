/** Which keys are accepted, how quickly changes take effect, and behavior during database outages. */

import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { pino } from "pino";
import { createKeys, generateKey, hashKey } from "../../../src/accounts/keys/authenticate.ts";
import { findUnrevokedKey } from "../../../src/accounts/keys/keys-of-any-user.ts";
import { revokeKey } from "../../../src/accounts/keys/store.ts";
import type { Database, DatabaseSettings } from "../../../src/database/database.ts";
import { createTestClock, type TestClock } from "../../support/clock.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { eventually, within } from "../../support/eventually.ts";
import { openGate } from "../../support/gate.ts";
import { createAccount, setPlanOf } from "../accounts.ts";

const invalid = {
  name: "AppError",
  code: "invalid_api_key",
  status: 403,
  message: "The API key is not valid. Valid keys are listed in the dashboard under API keys.",
};

interface Options {
  clock?: TestClock;
  /** Database used to look up keys; by default, the test's database itself. */
  lookUpIn?: Database;
  /** Database whose notifications of changes are received; by default, the test's database itself. */
  listen?: DatabaseSettings;
}

/** Resolves once the keys are listening for changes. */
async function startKeys(
  database: TestDatabase,
  { clock = createTestClock(new Date()), lookUpIn = database, listen = database.settings }: Options = {},
) {
  const listening = Promise.withResolvers<void>();
  const log = pino({ level: "info" }, { write: (line: string) => line.includes('"listening for key changes"') && listening.resolve() });
  const keys = createKeys({ database: lookUpIn, clock, log, listen });
  database.beforeDrop(() => keys.close());
  await within("listening", listening.promise);
  return { keys, clock };
}

/** For tests that don't depend on when notifications about their own writes arrive. */
async function setUp(t: TestContext) {
  const database = await createTestDatabase(t);
  return { database, ...(await startKeys(database)) };
}

test("a key is authenticated with the limits of its account", async (t) => {
  const { keys, database } = await setUp(t);
  const expiresAt = new Date("2199-01-01T00:00:00Z");
  const account = await createAccount(database, {
    planId: "pro",
    rules: {
      name: "site",
      domains: ["Example.com"],
      targets: ["*.example.com"],
      allowMissingOrigin: true,
      requireSignature: true,
      expiresAt,
    },
  });
  await setPlanOf(database, account.email, { planId: "pro", rateLimit: 99, quota: 5 });
  const { rows } = await database.query("select anchor from subscriptions where user_id = $1", [account.userId]);
  const { id, ...key } = await keys.authenticate(account.key);
  assert.match(id, /^[0-9a-f-]{36}$/);
  assert.deepEqual(key, {
    userId: account.userId,
    planId: "pro",
    name: "site",
    allowedDomains: ["example.com"],
    allowedTargets: ["*.example.com"],
    allowMissingOrigin: true,
    requireSignature: true,
    rateLimit: 99,
    monthlyQuota: 5,
    retentionDays: 30,
    anchor: rows[0].anchor,
    expiresAt,
  });
});

test("an account without a subscription is on the free plan with calendar months", async (t) => {
  const { keys, database } = await setUp(t);
  const key = await keys.authenticate((await createAccount(database)).key);
  assert.deepEqual([key.planId, key.rateLimit, key.monthlyQuota, key.retentionDays, key.anchor], ["free", 10, 100, 7, null]);
});

test("a plan without a rate limit uses the one in the settings", async (t) => {
  const { keys, database } = await setUp(t);
  await database.query("update plans set rate_limit = null where id = 'free'");
  assert.equal((await keys.authenticate((await createAccount(database)).key)).rateLimit, null);
});

test("the plan of an account's subscription applies even after its end date, until it is reconciled with the provider", async (t) => {
  const { keys, database } = await setUp(t);
  const { key, userId } = await createAccount(database, { planId: "pro" });
  const { anchor } = await keys.authenticate(key);
  await database.query("update subscriptions set source = 'billing', plan_id = 'free' where user_id = $1", [userId]);
  keys.forget(userId);
  const ended = await keys.authenticate(key);
  assert.deepEqual([ended.planId, ended.anchor], ["free", anchor]);
});

test("malformed, unknown, revoked, disabled and expired keys get the same error", async (t) => {
  const { keys, database } = await setUp(t);
  const account = () => createAccount(database);
  const revoked = await account();
  await revoke(database, revoked.key);
  const disabled = await account();
  await database.query("update api_keys set enabled = false where user_id = $1", [disabled.userId]);
  const expired = await account();
  await database.query("update api_keys set expires_at = now() - interval '1 second' where user_id = $1", [expired.userId]);
  for (const key of ["", "garbage", `${revoked.key.slice(0, -1)}!`, generateKey("ss"), revoked.key, disabled.key, expired.key]) {
    await assert.rejects(keys.authenticate(key), invalid, key);
  }
});

test("a key with an earlier prefix is accepted", async (t) => {
  const { keys, database } = await setUp(t);
  const { key, userId } = await createAccount(database, { rules: { prefix: "old_live" } });
  assert.equal((await keys.authenticate(key)).userId, userId);
});

test("a cached key expires on time", async (t) => {
  const { keys, database, clock } = await setUp(t);
  const { key } = await createAccount(database, { rules: { expiresAt: new Date(clock.now() + 30_000) } });
  await keys.authenticate(key);
  clock.advance(29_999);
  await keys.authenticate(key);
  clock.advance(1);
  await assert.rejects(keys.authenticate(key), invalid);
});

/** Counts lookups, and lets a test hold back the result of each lookup that starts while `hold` is set. */
function watchLookups(database: TestDatabase) {
  const watch = { lookups: 0, reads: 0, hold: undefined as Promise<void> | undefined };
  const watched: Database = {
    ...database,
    async query(statement, values) {
      if (typeof statement === "string" || statement.name !== "find_key") return await database.query(statement, values);
      const { hold } = watch;
      watch.lookups += 1;
      const result = await database.query(statement);
      watch.reads += 1;
      await hold;
      return result as never;
    },
  };
  return { watch, watched };
}

test("a key is looked up once a minute, however many requests use it", async (t) => {
  const database = await createTestDatabase(t);
  const { key } = await createAccount(database);
  const { watch, watched } = watchLookups(database);
  const { keys, clock } = await startKeys(database, { lookUpIn: watched });
  await Promise.all(Array.from({ length: 50 }, () => keys.authenticate(key)));
  await keys.authenticate(key);
  clock.advance(59_999);
  await keys.authenticate(key);
  assert.equal(watch.lookups, 1);
  clock.advance(1);
  await keys.authenticate(key);
  assert.equal(watch.lookups, 2);
});

test("an unknown key is looked up once every five seconds, a malformed one never", async (t) => {
  const database = await createTestDatabase(t);
  const { watch, watched } = watchLookups(database);
  const { keys, clock } = await startKeys(database, { lookUpIn: watched });
  const unknown = generateKey("ss");
  for (let attempt = 0; attempt < 3; attempt++) await assert.rejects(keys.authenticate(unknown), invalid);
  await assert.rejects(keys.authenticate(`${unknown}x`), invalid);
  assert.equal(watch.lookups, 1);
  clock.advance(5_000);
  await assert.rejects(keys.authenticate(unknown), invalid);
  assert.equal(watch.lookups, 1);
  clock.advance(1);
  await assert.rejects(keys.authenticate(unknown), invalid);
  assert.equal(watch.lookups, 2);
});

test("a revocation reaches every replica that has the key cached", async (t) => {
  const database = await createTestDatabase(t);
  const { key } = await createAccount(database);
  const replicas = [await startKeys(database), await startKeys(database)];
  for (const { keys } of replicas) await keys.authenticate(key);
  await revoke(database, key);
  // The clocks stand still, so only the notification can invalidate the cache.
  for (const [index, { keys }] of replicas.entries()) await eventually(`replica ${index} refuses`, () => isRefused(database, keys, key));
});

test("a change to a plan reaches cached keys, for one account or for all", async (t) => {
  const database = await createTestDatabase(t);
  const { key, email } = await createAccount(database);
  const { keys } = await startKeys(database);
  assert.equal((await keys.authenticate(key)).planId, "free");
  await setPlanOf(database, email, { planId: "pro" });
  await eventually("the account's plan", async () => (await after(database, keys.authenticate(key))).planId === "pro");
  await database.query("update plans set rate_limit = 61 where id = 'pro'");
  await eventually("the limit in the plan", async () => (await after(database, keys.authenticate(key))).rateLimit === 61);
});

test("a key that was used before it existed works as soon as it exists", async (t) => {
  const database = await createTestDatabase(t);
  const { userId } = await createAccount(database);
  const { keys } = await startKeys(database);
  const key = generateKey("ss");
  await assert.rejects(keys.authenticate(key), invalid);
  await database.query("insert into api_keys (user_id, name, hash, hint) values ($1, 'late', $2, 'hint')", [userId, hashKey(key)]);
  await eventually("the key is known", async () => !(await isRefused(database, keys, key)));
});

test("a result read before a change, but arriving after it, is not cached", async (t) => {
  const database = await createTestDatabase(t);
  const { key } = await createAccount(database);
  const { watch, watched } = watchLookups(database);
  const { keys } = await startKeys(database, { lookUpIn: watched });
  const release = Promise.withResolvers<void>();
  watch.hold = release.promise;
  const early = keys.authenticate(key);
  watch.hold = undefined;
  await eventually("the early lookup has read its result", async () => after(database, watch.reads === 1));
  await revoke(database, key);
  // Calls before the notification join the early lookup; calls after it must not.
  await eventually("a lookup after the notification", async () => {
    keys.authenticate(key).catch(() => {});
    return after(database, watch.lookups === 2);
  });
  await eventually("the later lookup has finished", async () => isRefused(database, keys, key));
  release.resolve();
  await early;
  await assert.rejects(keys.authenticate(key), invalid);
});

test("changes made while the notification connection was lost are noticed after it reconnects", async (t) => {
  const database = await createTestDatabase(t);
  const { key } = await createAccount(database);
  const { keys } = await startKeys(database);
  await keys.authenticate(key);
  // Without its trigger the revocation sends no notification, as if it had been lost.
  await database.query("alter table api_keys disable trigger user");
  await revoke(database, key);
  assert.equal(await isRefused(database, keys, key), false);
  const { rowCount } = await database.query(
    "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and query = 'listen accounts'",
  );
  assert.equal(rowCount, 1);
  await eventually("the revoked key is refused", () => isRefused(database, keys, key));
});

test("during a database outage, known keys work for ten minutes, and unknown ones fail with `unavailable`", async (t) => {
  const database = await createTestDatabase(t);
  const { key } = await createAccount(database);
  const { key: neverSeen } = await createAccount(database);
  const gate = await openGate(t, database.settings);
  const throughGate = { ...database.settings, host: gate.host, port: gate.port };
  const { keys, clock } = await startKeys(database, { lookUpIn: database.connect(throughGate), listen: throughGate });
  await keys.authenticate(key);

  await gate.refuse();
  clock.advance(600_000);
  await keys.authenticate(key);
  await assert.rejects(keys.authenticate(neverSeen), { name: "AppError", code: "unavailable", status: 503, retryAfterSeconds: 5 });
  await assert.rejects(keys.authenticate("garbage"), invalid);
  clock.advance(1);
  await assert.rejects(keys.authenticate(key), { code: "unavailable" });

  await gate.mend();
  await keys.authenticate(neverSeen);
  await keys.authenticate(key);
});

async function revoke(database: Database, key: string): Promise<void> {
  const { userId, id } = await findUnrevokedKey(database, key);
  await revokeKey(database, userId, id);
}

/** Resolves with `value`, after a round trip during which notifications can arrive. */
async function after<T>(database: Database, value: T | Promise<T>): Promise<T> {
  await database.query("select 1");
  return value;
}

async function isRefused(database: Database, keys: { authenticate(key: string): Promise<unknown> }, key: string): Promise<boolean> {
  await database.query("select 1");
  return keys.authenticate(key).then(
    () => false,
    (error) => {
      assert.equal(error.code, "invalid_api_key");
      return true;
    },
  );
}
