/** Records requests whose target was refused before the capture, so that the history lists every counted failure. */

import { v7 } from "uuid";
import { type Database, jsonbText } from "../../database/database.ts";
import type { Clock } from "../../shared/clock.ts";
import type { Caller } from "../keys/caller.ts";
import { quotaPeriod } from "./quota.ts";
import type { ReservedOutput } from "./reservation.ts";

export type RecordRefusedTarget = (
  caller: Caller,
  refused: Pick<ReservedOutput, "url" | "options" | "cacheKey" | "output"> & { error: string; captureId?: string },
) => Promise<void>;

const dayMs = 86_400_000;
/** Short, because the response waits for the record. */
const recordTimeoutMs = 500;

/** Doesn't use the quota. @param retentionDaysMax upper bound on every plan's retention. */
export function createRecordRefusedTarget(
  database: Database,
  clock: Clock,
  retentionDaysMax = Number.POSITIVE_INFINITY,
): RecordRefusedTarget {
  return async (caller, { url, options, cacheKey, error, captureId = null, output = null }) => {
    const now = clock.now();
    const { start } = quotaPeriod(caller.anchor, new Date(now));
    const expiresAt = new Date(now + Math.min(caller.retentionDays, retentionDaysMax) * dayMs);
    await database.query({
      timeoutMs: recordTimeoutMs,
      text: `insert into screenshots (id, user_id, key_id, period_start, status, url, options, cache_key, error, expires_at, capture_id, output)
       values ($1, $2, $3, $4, 'failed', $5, $6::jsonb, $7, $8, $9, $10, $11)`,
      values: [v7(), caller.userId, caller.id, start, url, jsonbText(options), cacheKey, error, expiresAt, captureId, output],
    });
  };
}
