/** Completes the records of captures once storing their images has succeeded or failed, with retries during a database outage. */

import { setTimeout as delay } from "node:timers/promises";
import type { BaseLogger } from "pino";
import { type Database, jsonbText, type Queries } from "../../database/database.ts";
import type { Clock } from "../../shared/clock.ts";
import { inherited, outputColumns } from "./refund.ts";
import type { Reservation, SettledImage } from "./reservation.ts";

export interface SettleParts {
  /** A transaction, if the change must take effect together with other changes. */
  database: Queries & Partial<Pick<Database, "transaction">>;
  clock: Clock;
  log: BaseLogger;
  /** Pause between attempts; the default doesn't keep the process alive. */
  pause?: (ms: number) => Promise<unknown>;
}

/** Resolves to false, changing nothing, if the record is no longer pending. @throws {AppError} the last attempt's error. */
export type Settle = (reservation: Reservation, image: SettledImage) => Promise<boolean>;

const pausesMs = { first: 500, max: 5_000 };

/** @param mark a single attempt: `markDone` or `markUnstored`. */
export function createSettle({ database, clock, log, pause = pauseFor }: SettleParts, mark: typeof markDone): Settle {
  return async ({ id, endsAtMs }, image) => {
    const record = async ({ onRecorded }: SettledImage) => {
      if (!onRecorded) return await mark(database, id, image);
      const both = async (queries: Queries) => {
        const isRecorded = await mark(queries, id, image);
        if (isRecorded) await onRecorded(queries);
        return isRecorded;
      };
      return database.transaction ? await database.transaction(both) : await both(database);
    };
    for (let attempt = 1; ; attempt += 1) {
      try {
        const isRecorded = await record(image);
        if (attempt > 1) log.info({ id, attempt }, "a finished capture has been recorded");
        return isRecorded;
      } catch (error) {
        const pauseMs = Math.min(pausesMs.first * 2 ** (attempt - 1), pausesMs.max);
        if (clock.now() + pauseMs >= endsAtMs) throw error;
        if (attempt === 1) log.warn({ err: error, id }, "failed to record a finished capture; retrying");
        await pause(pauseMs);
      }
    }
  };
}

const pauseFor = (ms: number): Promise<unknown> => delay(ms, undefined, { ref: false });

/** The columns of a completed record; `$1` is its id. */
const completed = `status = 'done', lease_until = null, format = $2, width = $3, height = $4, bytes = $5, duration_ms = $6, object_key = $7,
  verdict = $8, verdict_reason = $9, explanation = $10::jsonb, title = $11, target_status = $12, final_url = $13,
  warnings = $14::jsonb, timings = $15::jsonb, cache_key = coalesce($16, cache_key)`;

function completedValues(id: string, image: SettledImage): unknown[] {
  const { format, width, height, bytes, durationMs, objectKey, verdict, verdictReason, explanation, title } = image;
  const { targetStatus, finalUrl, warnings, timings, cacheKey = null } = image;
  return [
    id,
    format,
    width,
    height,
    bytes,
    Math.round(durationMs),
    objectKey,
    verdict,
    verdictReason,
    explanation ? jsonbText(explanation) : null,
    storedTitle(title),
    targetStatus,
    finalUrl,
    jsonbText(warnings),
    jsonbText(timings),
    cacheKey,
  ];
}

/** Returns false if the record is no longer pending. */
export async function markDone(database: Queries, id: string, image: SettledImage): Promise<boolean> {
  const { rowCount } = await database.query({
    name: "settle_screenshot",
    timeoutMs: Number.POSITIVE_INFINITY,
    text: `update screenshots set ${completed} where id = $1 and status = 'pending'`,
    values: completedValues(id, image),
  });
  return rowCount === 1;
}

/**
 * Completes the record. Unless the record belongs to a queued capture that hasn't ended, moves its cost to an output that has a file or may
 * get one; if there is none, refunds it. Locks the queued capture first, as does the statement that ends the capture, so that whichever
 * runs second sees the other's changes.
 */
export async function markUnstored(database: Queries, id: string, image: SettledImage): Promise<boolean> {
  const { rows } = await database.query<{ count: number }>({
    name: "settle_unstored_screenshot",
    timeoutMs: Number.POSITIVE_INFINITY,
    text: `with open as (
             select id from captures
              where id = (select capture_id from screenshots where id = $1) and status in ('queued', 'running') for share
           ), own as (
             select ${outputColumns} from screenshots s
              where (id = $1 or capture_id = (select capture_id from screenshots where id = $1)) and (select count(*) from open) >= 0
              order by id for update
           ), ended as (
             update screenshots s set ${completed}, costs = case when exists (select from open) then s.costs else 0 end
               from own where s.id = $1 and own.id = s.id and own.status = 'pending'
             returning s.id
           ), lost as (
             select own.* from own join ended on ended.id = own.id where not exists (select from open)
           ), ${inherited}
           select count(*)::integer as count from ended`,
    values: completedValues(id, image),
  });
  return rows[0]?.count === 1;
}

/** Truncated to 300 characters. PostgreSQL can't store NUL, which a page's script can put into its title. */
function storedTitle(title: string): string | null {
  return title.replaceAll("\0", "").trim().slice(0, 300) || null;
}
