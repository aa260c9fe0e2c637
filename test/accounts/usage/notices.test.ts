/** Notices by mail: at 80% and 100% of the quota, and before keys expire. */

import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { pino } from "pino";
import { createNotices } from "../../../src/accounts/usage/notices.ts";
import { createMailer } from "../../../src/mail/mailer.ts";
import { createMetrics } from "../../../src/telemetry/metrics.ts";
import { createTestDatabase } from "../../support/database.ts";
import { startMailServer } from "../../support/mail-server.ts";
import { createAccount, setPlanOf } from "../accounts.ts";

const log = pino({ level: "silent" });
const dayMs = 86_400_000;

async function setUp(t: TestContext) {
  const database = await createTestDatabase(t);
  const server = await startMailServer(t);
  let nowMs = Date.UTC(2030, 0, 15, 12);
  const clock = { now: () => nowMs };
  /** A replica checks once and sends the mails that are due. */
  async function runReplica(): Promise<void> {
    const mailer = createMailer({ url: server.settings.SMTP_URL, from: "noreply@example.com" }, { log, metrics: createMetrics() });
    await createNotices({ database, mailer, clock, publicUrl: "http://localhost:3001", log }).run();
    await mailer.close(AbortSignal.timeout(10_000));
  }
  const { userId, email } = await createAccount(database);
  await database.query("update users set email_verified = true");
  await database.query("update api_keys set created_at = '2029-01-01'");
  return {
    database,
    userId,
    email,
    use: (used: number) =>
      database.query(
        `insert into usage_periods values ($1, date_trunc('month', $2::timestamptz, 'UTC'), $3)
         on conflict (user_id, period_start) do update set used = excluded.used`,
        [userId, new Date(nowMs), used],
      ),
    at: (time: number) => {
      nowMs = time;
    },
    /** Subjects of the mails that three concurrent replicas send. */
    async subjects(): Promise<string[]> {
      await Promise.all([runReplica(), runReplica(), runReplica()]);
      return server.received.splice(0).map(({ headers }) => /^Subject: (.*)$/m.exec(headers)?.[1] ?? "");
    },
  };
}

test("in each quota month, exactly one replica sends one mail at 80% and one at 100%", async (t) => {
  const { use, at, subjects } = await setUp(t);
  await use(79);
  assert.deepEqual(await subjects(), []);
  await use(80);
  assert.deepEqual(await subjects(), ["You've used 80% of your screenshots"]);
  await use(95);
  assert.deepEqual(await subjects(), []);
  await use(100);
  assert.deepEqual(await subjects(), ["You've used all your screenshots"]);
  await use(99); // one was refunded
  assert.deepEqual(await subjects(), []);
  await use(100);
  assert.deepEqual(await subjects(), []);
  at(Date.UTC(2030, 1, 2));
  assert.deepEqual(await subjects(), [], "last month is over");
  await use(100);
  assert.deepEqual(await subjects(), ["You've used all your screenshots"], "80% has already been reported");
});

test("no notice is sent after the quota was raised, or for accounts without a quota", async (t) => {
  const { database, email, use, subjects } = await setUp(t);
  await use(100);
  await setPlanOf(database, email, { planId: "enterprise" });
  assert.deepEqual(await subjects(), []);
});

test("unconfirmed addresses and disabled accounts get no notices", async (t) => {
  const { database, use, subjects } = await setUp(t);
  await use(100);
  await database.query("update users set email_verified = false");
  assert.deepEqual(await subjects(), []);
  await database.query("update users set email_verified = true, disabled_at = now()");
  assert.deepEqual(await subjects(), []);
});

test("a key's owner is mailed once, a week before the key expires, and again if its expiry is changed", async (t) => {
  const { database, at, subjects } = await setUp(t);
  const expire = (time: number, more = "") => database.query(`update api_keys set expires_at = $1 ${more}`, [new Date(time)]);
  const now = Date.UTC(2030, 0, 15, 12);
  await expire(now + 8 * dayMs);
  assert.deepEqual(await subjects(), []);
  at(now + dayMs);
  assert.deepEqual(await subjects(), ["One of your API keys expires soon"]);
  assert.deepEqual(await subjects(), []);
  await expire(now + 7 * dayMs);
  assert.equal((await subjects()).length, 1);
  await expire(now + 6 * dayMs, ", revoked_at = now()");
  assert.deepEqual(await subjects(), []);
  await database.query("update api_keys set revoked_at = null");
  await database.query("update api_keys set expires_at = $1, created_at = $2", [new Date(now + 6 * dayMs), new Date(now + 4 * dayMs)]);
  assert.deepEqual(await subjects(), [], "created with a validity of two days");
});

test("a failed payment is mailed once per billing period, and never to paying accounts", async (t) => {
  const { database, userId, subjects } = await setUp(t);
  await database.query(
    `insert into billing_customers (user_id, subscription_id, status, current_period_end) values ($1, 'one', 'active', '2030-02-01')`,
    [userId],
  );
  assert.deepEqual(await subjects(), []);
  await database.query("update billing_customers set status = 'past_due'");
  assert.deepEqual(await subjects(), ["Your payment failed"]);
  assert.deepEqual(await subjects(), []);
  await database.query("update billing_customers set status = 'active', current_period_end = '2030-03-01'");
  assert.deepEqual(await subjects(), []);
  await database.query("update billing_customers set status = 'past_due'");
  assert.deepEqual(await subjects(), ["Your payment failed"]);
});

test("the pausing of a webhook address is mailed once, with at most one mail an hour", async (t) => {
  const { database, userId, subjects } = await setUp(t);
  const add = (name: string, pausedAt: string | null) =>
    database.query("insert into webhook_addresses (user_id, url, paused_at, reason) values ($1, $2, $3, 'It responded with 410 Gone.')", [
      userId,
      `https://hooks.example/${name}`,
      pausedAt,
    ]);
  const hourPasses = () => database.query("update notices set created_at = created_at - interval '1 hour'");
  await add("fine", null);
  assert.deepEqual(await subjects(), []);
  await add("one", "2030-01-15T10:00:00Z");
  assert.deepEqual(await subjects(), ["Your webhooks are paused"]);
  assert.deepEqual(await subjects(), []);
  await add("two", "2030-01-15T10:10:00Z");
  await add("three", "2030-01-15T10:20:00Z");
  assert.deepEqual(await subjects(), []);
  await hourPasses();
  assert.deepEqual(await subjects(), ["Your webhooks are paused"]);
  await hourPasses();
  assert.deepEqual(await subjects(), []);
  await database.query("update webhook_addresses set paused_at = '2030-01-15T11:00:00Z' where url like '%one'");
  assert.deepEqual(await subjects(), ["Your webhooks are paused"]);
});
