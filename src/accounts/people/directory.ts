/** The administrators' list of all accounts. */

import type { Database } from "../../database/database.ts";
import { existing } from "../../shared/errors.ts";
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
  used: number;
}

/** Condition on `api_keys`: the key is enabled, and neither revoked nor expired. */
const activeKeySql = "revoked_at is null and enabled and (expires_at is null or expires_at > now())";
/** Screenshots charged in the account's current quota month; $1 is the current time. */
const used = `coalesce((select m.used from usage_periods m
                 where m.user_id = u.id and m.period_start = quota_period_start(a.anchor, $1::timestamptz)), 0)`;
const entryColumns = `u.id, u.name, u.email, u.role, u.disabled_at as "disabledAt", u.created_at as "createdAt", a.plan_id as "planId",
  coalesce(s.source, 'default') as "planSource", s.rate_limit_override as "rateLimitOverride",
  s.monthly_quota_override as "monthlyQuotaOverride", a.anchor, a.monthly_quota as quota, ${used} as used,
  (select count(*)::integer from api_keys k where k.user_id = u.id and ${activeKeySql}) as "keysActive",
  (select max(k.last_used_at) from api_keys k where k.user_id = u.id) as "lastUsedAt"`;
const entryTables = `from users u join account_plans a on a.user_id = u.id join plans p on p.id = a.plan_id
  left join subscriptions s on s.user_id = u.id and s.plan_id = a.plan_id`;

/** Sort keys; all sort in descending order. */
const sortKeys = { newest: "u.created_at", usage: used, plan: "p.rank" };
/** Filters by the share of the month's quota that is used. */
const usageFilters = {
  none: `${used} = 0`,
  some: `${used} > 0`,
  most: `${used} >= 0.8 * a.monthly_quota`,
  all: `${used} >= a.monthly_quota`,
};

export type DirectorySort = keyof typeof sortKeys;
export type DirectoryUsage = keyof typeof usageFilters;

interface Page {
  sort: DirectorySort;
  /** Substring of the name or e-mail address. */
  search?: string | undefined;
  planId?: string | undefined;
  use?: DirectoryUsage | undefined;
  /** Cursor: id of the last entry on the previous page. */
  after?: string | undefined;
  limit: number;
  now: Date;
}

/** Lists one page of the accounts that match the filters. */
export async function listEntries(database: Database, { sort, search, planId, use, after, limit, now }: Page): Promise<DirectoryEntry[]> {
  const key = sortKeys[sort];
  const { rows } = await database.query<Row>(
    `select ${entryColumns} ${entryTables}
      where u.deleted_at is null
        and ($2::uuid is null or (${key}, u.id) < (select ${key}, u.id ${entryTables} where u.id = $2))
        and ($3::text is null or position(lower($3) in lower(u.name)) > 0 or position(lower($3) in u.email) > 0)
        and ($4::text is null or a.plan_id = $4)
        and ${use ? usageFilters[use] : "true"}
      order by ${key} desc, u.id desc limit $5`,
    [now, after ?? null, search || null, planId ?? null, limit],
  );
  return rows.map((row) => entryOf(row, now));
}

/** @throws {AppError} `not_found`. */
export async function readDirectoryEntry(database: Database, id: string, now: Date): Promise<DirectoryEntry> {
  const { rows } = await database.query<Row>(`select ${entryColumns} ${entryTables} where u.id = $2 and u.deleted_at is null`, [now, id]);
  return entryOf(existing(rows[0]), now);
}

function entryOf({ anchor, quota, used: count, ...entry }: Row, now: Date): DirectoryEntry {
  return { ...entry, month: { ...quotaPeriod(anchor, now), ...share(quota, count) } };
}

/** Counts the whole service's active keys, stored screenshots, and users who haven't been deleted. */
export async function readTotals(database: Database): Promise<Totals> {
  const { rows } = await database.query<Totals>(
    `select count(*)::integer as users, (count(*) filter (where disabled_at is not null))::integer as "usersDisabled",
            (select count(*)::integer from api_keys where ${activeKeySql}) as "keysActive",
            (select count(*)::integer from screenshots where object_key is not null) as "screenshotsStored"
       from users where deleted_at is null`,
  );
  return rows[0] as Totals;
}
