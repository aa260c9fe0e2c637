/** All accounts, as administrators see them. */

import type { Database } from "../../database.ts";
import { AppError } from "../../errors.ts";
import { type Month, share } from "../usage/plans.ts";
import { quotaPeriod } from "../usage/quota.ts";

export interface DirectoryEntry {
  id: string;
  name: string;
  email: string;
  role: "user" | "admin";
  disabledAt: Date | null;
  createdAt: Date;
  planId: string;
  planSource: "default" | "manual" | "billing";
  rateLimitOverride: number | null;
  monthlyQuotaOverride: number | null;
  month: Month;
  keysActive: number;
  lastUsedAt: Date | null;
}

export interface Totals {
  users: number;
  usersDisabled: number;
  keysActive: number;
  screenshotsStored: number;
}

interface Row extends Omit<DirectoryEntry, "month"> {
  anchor: Date | null;
  quota: number | null;
  periods: Record<string, number>;
}

const isActive = "revoked_at is null and enabled and (expires_at is null or expires_at > now())";
/** `periods`: the counters of the latest two months, one of which is the current one. */
const entryColumns = `u.id, u.name, u.email, u.role, u.disabled_at as "disabledAt", u.created_at as "createdAt", a.plan_id as "planId",
  coalesce(s.source, 'default') as "planSource", s.rate_limit_override as "rateLimitOverride",
  s.monthly_quota_override as "monthlyQuotaOverride", a.anchor, a.monthly_quota as quota,
  (select count(*)::integer from api_keys k where k.user_id = u.id and ${isActive}) as "keysActive",
  (select max(k.last_used_at) from api_keys k where k.user_id = u.id) as "lastUsedAt",
  (select coalesce(jsonb_object_agg(extract(epoch from m.period_start)::bigint, m.used), '{}') from usage_periods m
    where m.user_id = u.id and m.period_start > now() - interval '62 days') as periods`;
const entryTables = `from users u join account_plans a on a.user_id = u.id left join subscriptions s on s.user_id = u.id and s.plan_id = a.plan_id`;

interface Page {
  /** Text in the name or the e-mail address. */
  search?: string | undefined;
  /** Id of the entry before the first. */
  after?: string | undefined;
  limit: number;
  now: Date;
}

/** Newest first. */
export async function listEntries(database: Database, { search, after, limit, now }: Page): Promise<DirectoryEntry[]> {
  const { rows } = await database.query<Row>(
    `select ${entryColumns} ${entryTables}
      where u.deleted_at is null
        and ($1::uuid is null or (u.created_at, u.id) < (select created_at, id from users where id = $1))
        and ($2::text is null or position(lower($2) in lower(u.name)) > 0 or position(lower($2) in u.email) > 0)
      order by u.created_at desc, u.id desc limit $3`,
    [after ?? null, search || null, limit],
  );
  return rows.map((row) => entryOf(row, now));
}

/** @throws {AppError} `not_found`. */
export async function readEntry(database: Database, id: string, now: Date): Promise<DirectoryEntry> {
  const { rows } = await database.query<Row>(`select ${entryColumns} ${entryTables} where u.id = $1 and u.deleted_at is null`, [id]);
  if (!rows[0]) throw new AppError("not_found");
  return entryOf(rows[0], now);
}

function entryOf({ anchor, quota, periods, ...entry }: Row, now: Date): DirectoryEntry {
  const period = quotaPeriod(anchor, now);
  return { ...entry, month: { ...period, ...share(quota, periods[String(period.start.getTime() / 1000)] ?? 0) } };
}

export async function readTotals(database: Database): Promise<Totals> {
  const { rows } = await database.query<Totals>(
    `select count(*)::integer as users, (count(*) filter (where disabled_at is not null))::integer as "usersDisabled",
            (select count(*)::integer from api_keys where ${isActive}) as "keysActive",
            (select count(*)::integer from screenshots where object_key is not null) as "screenshotsStored"
       from users where deleted_at is null`,
  );
  return rows[0] as Totals;
}
