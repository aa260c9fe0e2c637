/**
 * Deletes expired sessions and sign-in attempts, old notices, audit entries and webhook deliveries, and deleted users once their images are
 * gone.
 */

import type { BaseLogger } from "pino";
import type { Database } from "../../database.ts";
import { createRepeated, type Repeated } from "../repeat.ts";

export interface CleanUp extends Repeated {
  run(): Promise<void>;
}

/** A run removes at most so many, to stay within a statement's deadline: each may have answers of 64 KB for each try. */
const deliveriesMax = 2_000;

const statements = [
  "delete from sessions where expires_at < now()",
  "delete from verifications where expires_at < now()",
  "delete from notices where created_at < now() - interval '400 days'",
  "delete from browser_sessions where started_at < now() - interval '400 days'",
  `delete from webhook_deliveries where id in (
     select id from webhook_deliveries where created_at < now() - interval '30 days' limit ${deliveriesMax})`,
  `delete from webhook_deliveries where id in (
     select d.id from users u join webhook_deliveries d on d.user_id = u.id where u.deleted_at is not null limit ${deliveriesMax})`,
  "delete from batches where expires_at < now() and ended_at is not null",
  "delete from captures where expires_at < now() and ended_at is not null",
  `delete from watch_runs r using watches w
    where r.watch_id = w.id and r.created_at < now() - interval '90 days' and r.ended_at is not null
      and r.id <> all(array_remove(array[w.accepted_run_id, w.reported_run_id, w.latest_run_id], null))`,
  "delete from webhook_secrets where expires_at < now()",
  `delete from webhook_addresses a where (paused_at is null or paused_at < now() - interval '30 days')
      and not exists (select 1 from webhook_deliveries d where d.user_id = a.user_id and d.url = a.url)`,
  `delete from users u where u.deleted_at is not null and not exists (select 1 from screenshots s where s.user_id = u.id)
      and not exists (select 1 from webhook_deliveries d where d.user_id = u.id)`,
  "delete from audit_entries where created_at < now() - interval '1 year'",
];

export function createCleanUp(database: Database, log: BaseLogger): CleanUp {
  async function run(): Promise<void> {
    for (const statement of statements) await database.query(statement);
  }
  const onFailure = (error: unknown) => log.warn({ err: error }, "failed to remove expired sessions, old audit entries and deleted users");
  return { run, ...createRepeated(run, onFailure) };
}
