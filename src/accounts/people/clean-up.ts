/**
 * Deletes expired rows (sessions, captures, watch runs, webhook deliveries, audit entries and others), and the rows of deleted users; the
 * users themselves are deleted once their images are gone.
 */

import type { BaseLogger } from "pino";
import type { Database } from "../../database/database.ts";
import { createLoop, type Loop } from "../../shared/loop.ts";

export interface CleanUp extends Loop {
  run(closing?: AbortSignal): Promise<void>;
}

/** Maximum number of rows per statement, because statements have a deadline. Each statement is repeated until no rows are left. */
const defaultRowsMax = 2_000;

const isLatest = "r.id = any(array[w.accepted_run_id, w.reported_run_id, w.latest_run_id])";

/** Smaller limits for tables whose deletions cascade: to up to 1,000 captures in a batch, or to the daily counts of a user's keys. */
const cascading: Record<string, number> = { batches: 10, users: 10 };

/** Rows to delete, as queries for their `ctid`. The order matters: deleted users come last, when no rows refer to them anymore. */
const expired: [table: string, rows: string][] = [
  ["sessions", "select ctid from sessions where expires_at < now()"],
  ["verifications", "select ctid from verifications where expires_at < now()"],
  ["notices", "select ctid from notices where created_at < now() - interval '400 days'"],
  ["browser_sessions", "select ctid from browser_sessions where started_at < now() - interval '400 days'"],
  ["webhook_deliveries", "select ctid from webhook_deliveries where created_at < now() - interval '30 days' and expires_at is null"],
  ["webhook_deliveries", "select ctid from webhook_deliveries where expires_at < now()"],
  ["batches", "select ctid from batches where expires_at < now() and ended_at is not null"],
  ["captures", "select ctid from captures where expires_at < now() and ended_at is not null"],
  [
    "watch_runs",
    `select r.ctid from watch_runs r join watches w on w.id = r.watch_id
      where r.created_at < now() - interval '90 days' and r.ended_at is not null and ${isLatest} is not true`,
  ],
  ["webhook_secrets", "select ctid from webhook_secrets where expires_at < now()"],
  [
    "webhook_addresses",
    `select a.ctid from webhook_addresses a where (paused_at is null or paused_at < now() - interval '30 days')
        and not exists (select 1 from webhook_deliveries d where d.user_id = a.user_id and d.url = a.url)`,
  ],
  ["audit_entries", "select ctid from audit_entries where created_at < now() - interval '1 year'"],
  ...["webhook_deliveries", "captures", "browser_sessions"].map((table): [string, string] => [
    table,
    `select d.ctid from users u join ${table} d on d.user_id = u.id where u.deleted_at is not null`,
  ]),
  [
    "watch_runs",
    `select r.ctid from users u join watches w on w.user_id = u.id join watch_runs r on r.watch_id = w.id where u.deleted_at is not null`,
  ],
  [
    "users",
    `select u.ctid from users u where u.deleted_at is not null
        and not exists (select 1 from screenshots where user_id = u.id) and not exists (select 1 from webhook_deliveries where user_id = u.id)
        and not exists (select 1 from captures where user_id = u.id) and not exists (select 1 from browser_sessions where user_id = u.id)
        and not exists (select 1 from watches w join watch_runs r on r.watch_id = w.id where w.user_id = u.id)`,
  ],
];

/** @param rowsMax rows per statement. */
export function createCleanUp(database: Database, log: BaseLogger, rowsMax = defaultRowsMax): CleanUp {
  const never = new AbortController().signal;

  async function deleteAll(table: string, rows: string, closing: AbortSignal): Promise<void> {
    const limit = Math.min(rowsMax, cascading[table] ?? rowsMax);
    const statement = `delete from ${table} where ctid = any(array(${rows} limit ${limit}))`;
    for (let count = limit; count === limit && !closing.aborted; ) count = (await database.query(statement)).rowCount ?? 0;
  }

  /** Continues with the other tables after a failure. @throws the last error. */
  async function run(closing: AbortSignal = never): Promise<void> {
    let failure: { error: unknown } | undefined;
    for (const [table, rows] of expired) {
      if (closing.aborted) return;
      try {
        await deleteAll(table, rows, closing);
      } catch (error) {
        failure = { error };
        log.warn({ err: error, table }, "failed to delete expired rows or the rows of deleted users; retrying later");
      }
    }
    if (failure) throw failure.error;
  }

  const onFailure = () => {}; // logged
  return { run, ...createLoop(run, onFailure) };
}
