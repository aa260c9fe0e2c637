/**
 * E-mails users when their quota is used up or nearly used up, when a key is about to expire, when a payment has failed, and when webhooks
 * are paused.
 */

import type { BaseLogger } from "pino";
import type { Database } from "../../database/database.ts";
import type { Mailer } from "../../mail/mailer.ts";
import { type Message, messages } from "../../mail/messages.ts";
import type { Clock } from "../../shared/clock.ts";
import { createLoop, type Loop } from "../../shared/loop.ts";
import { quotaPeriod } from "./quota.ts";

export interface Notices extends Loop {
  /** Sends all notices that are due. Each is sent only once, by one replica. */
  run(closing?: AbortSignal): Promise<void>;
}

const nearlyUsed = 0.8;
const expiryNoticeDays = 7;

interface Dependencies {
  database: Database;
  mailer: Mailer;
  clock: Clock;
  /** `WEB_PUBLIC_URL`. */
  publicUrl: string;
  log: BaseLogger;
}

interface Due {
  userId: string;
  email: string;
  kind: "quota-80" | "quota-100" | "key-expires" | "payment-failed" | "webhook-paused";
  subject: string;
  message: Message;
}

export function createNotices({ database, mailer, clock, publicUrl, log }: Dependencies): Notices {
  const page = (path: string) => new URL(path, publicUrl).href;

  async function run(closing?: AbortSignal): Promise<void> {
    const now = new Date(clock.now());
    const quotas = await dueQuotas(database, now, page("/plan"));
    const others = [
      await dueKeys(database, now, page),
      await duePayments(database, page("/plan")),
      await duePauses(database, page("/webhooks")),
    ];
    for (const due of [...quotas, ...others.flat()]) {
      if (closing?.aborted) return;
      if (await claim(database, due)) mailer.send(due.email, due.message);
    }
  }

  return { run, ...createLoop(run, (error) => log.warn({ err: error }, "failed to send notices")) };
}

/** Whether this replica may send the notice. If the e-mail then fails permanently, it isn't sent again. */
async function claim(database: Database, { userId, kind, subject }: Due): Promise<boolean> {
  const { rowCount } = await database.query(
    "insert into notices (user_id, kind, subject) select id, $2, $3 from users where id = $1 on conflict do nothing",
    [userId, kind, subject],
  );
  return rowCount === 1;
}

interface QuotaRow {
  userId: string;
  email: string;
  anchor: Date | null;
  start: Date;
  used: number;
  quota: number;
}

/**
 * Accounts that have used at least 80% of the current month's quota, or all of it, and haven't been notified about it. At 100%, the 80%
 * notice is skipped.
 */
async function dueQuotas(database: Database, now: Date, url: string): Promise<Due[]> {
  const { rows } = await database.query<QuotaRow>(
    `select u.id as "userId", u.email, a.anchor, m.period_start as start, m.used, a.monthly_quota as quota
       from usage_periods m join account_plans a on a.user_id = m.user_id join users u on u.id = m.user_id
      where m.period_start between $1::timestamptz - interval '31 days' and $1 and a.monthly_quota > 0 and m.used >= a.monthly_quota * ${nearlyUsed}
        and u.email_verified and u.disabled_at is null
        and not exists (
          select 1 from notices n where n.user_id = u.id and n.subject = extract(epoch from m.period_start)::bigint::text
             and n.kind in ('quota-100', case when m.used < a.monthly_quota then 'quota-80' end))`,
    [now],
  );
  return rows.flatMap(({ userId, email, anchor, start, used, quota }) => {
    const period = quotaPeriod(anchor, now);
    if (period.start.getTime() !== start.getTime()) return []; // the counter belongs to an earlier month
    const isUsed = used >= quota;
    const use = { used, quota, resetsAt: period.end };
    const message = isUsed ? messages.quotaUsed(url, use) : messages.quotaNearlyUsed(url, use);
    return [{ userId, email, kind: isUsed ? "quota-100" : "quota-80", subject: String(Math.round(start.getTime() / 1000)), message }];
  });
}

interface KeyRow {
  id: string;
  userId: string;
  email: string;
  name: string;
  hint: string;
  expiresAt: Date;
}

/** Active keys that expire within a week, except short-lived and rotated keys, which are meant to expire. */
async function dueKeys(database: Database, now: Date, page: (path: string) => string): Promise<Due[]> {
  const { rows } = await database.query<KeyRow>(
    `select k.id, u.id as "userId", u.email, k.name, k.hint, k.expires_at as "expiresAt"
       from api_keys k join users u on u.id = k.user_id
      where k.expires_at > $1 and k.expires_at <= $1::timestamptz + $2 * interval '1 day' and k.revoked_at is null and k.enabled
        and k.replaced_by is null and k.created_at < k.expires_at - $2 * interval '1 day'
        and u.email_verified and u.disabled_at is null
        and not exists (select 1 from notices n where n.user_id = u.id and n.kind = 'key-expires'
                           and n.subject = k.id || ' ' || extract(epoch from k.expires_at)::bigint)`,
    [now, expiryNoticeDays],
  );
  return rows.map(({ id, userId, email, name, hint, expiresAt }) => ({
    userId,
    email,
    kind: "key-expires",
    subject: `${id} ${Math.round(expiresAt.getTime() / 1000)}`,
    message: messages.keyExpires(page(`/keys/${id}`), { name, hint, expiresAt }),
  }));
}

/** Subscriptions whose payment failed. There is one notice per billing period. */
async function duePayments(database: Database, url: string): Promise<Due[]> {
  const { rows } = await database.query<{ userId: string; email: string; plan: string | null; subject: string }>(
    `select * from (
       select u.id as "userId", u.email, p.name as plan,
              b.subscription_id || ' ' || coalesce(extract(epoch from b.current_period_end)::bigint, 0) as subject
         from billing_customers b join users u on u.id = b.user_id left join plans p on p.billing_product_id = b.product_id
        where b.status = 'past_due' and u.email_verified and u.disabled_at is null
     ) due
      where not exists (select 1 from notices n where n.user_id = due."userId" and n.kind = 'payment-failed' and n.subject = due.subject)`,
  );
  return rows.map(({ userId, email, plan, subject }) => ({
    userId,
    email,
    kind: "payment-failed",
    subject,
    message: messages.paymentFailed(url, plan),
  }));
}

interface PauseRow {
  userId: string;
  email: string;
  /** Number of addresses paused since the last e-mail. */
  addresses: number;
  /** The most recently paused URL, and the reason. */
  url: string;
  reason: string;
  subject: string;
}

/** Accounts with newly paused addresses. At most one e-mail an hour, because a batch can pause many addresses. */
async function duePauses(database: Database, url: string): Promise<Due[]> {
  const { rows } = await database.query<PauseRow>(
    `select u.id as "userId", u.email, count(*)::integer as addresses, max(a.us)::text as subject,
            (array_agg(a.url order by a.us desc))[1] as url, (array_agg(a.reason order by a.us desc))[1] as reason
       from (select *, (extract(epoch from paused_at) * 1000000)::bigint as us from webhook_addresses where paused_at is not null) a
       join users u on u.id = a.user_id
       left join lateral (
         select max(subject::bigint) as us, max(created_at) as at from notices where user_id = u.id and kind = 'webhook-paused'
       ) last on true
      where u.email_verified and u.disabled_at is null and a.us > coalesce(last.us, 0)
        and coalesce(last.at <= now() - interval '1 hour', true)
      group by u.id, u.email`,
  );
  return rows.map(({ userId, email, addresses, url: address, reason, subject }) => ({
    userId,
    email,
    kind: "webhook-paused",
    subject,
    message: messages.webhookPaused(url, { host: new URL(address).host, reason, others: addresses - 1 }),
  }));
}
