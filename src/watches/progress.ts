/** Progress of a watch: its baseline, reported and latest run, whose images are kept. */

import type { Queries } from "../database/database.ts";
import type { Watch } from "./watch-records.ts";

type Progress = Pick<Watch, "learned" | "isFailing" | "acceptedRunId" | "reportedRunId" | "latestRunId" | "seen" | "nextRunAt">;

/** Applies `change`. @param watch the watch as read under this transaction's lock. @returns the updated watch. */
export async function recordProgress(transaction: Queries, watch: Watch, change: Partial<Progress>): Promise<Watch> {
  const now = { ...watch, ...change };
  const { id, learned, isFailing, acceptedRunId, reportedRunId, latestRunId, seen, nextRunAt } = now;
  await transaction.query(
    `update watches set learned = $2, is_failing = $3, accepted_run_id = $4, reported_run_id = $5, latest_run_id = $6, seen = $7,
            next_run_at = $8
      where id = $1`,
    [id, learned, isFailing, acceptedRunId, reportedRunId, latestRunId, seen, nextRunAt],
  );
  await keepImages(transaction, imagesOf(watch), imagesOf(now));
  return now;
}

function imagesOf({ acceptedRunId, reportedRunId, latestRunId }: Watch): string[] {
  return [acceptedRunId, reportedRunId, latestRunId].filter((id) => id !== null);
}

/** Images in use by a watch don't expire; when they are released, their regular expiry is restored. */
async function keepImages(transaction: Queries, before: string[], after: string[]): Promise<void> {
  const released = before.filter((id) => !after.includes(id));
  const kept = after.filter((id) => !before.includes(id));
  if (released.length > 0)
    await transaction.query(
      `update screenshots s set expires_at = coalesce((select c.expires_at from captures c where c.id = s.capture_id), now())
        where capture_id = any($1::uuid[]) and expires_at = $2`,
      [released, never],
    );
  if (kept.length > 0) await transaction.query("update screenshots set expires_at = $2 where capture_id = any($1::uuid[])", [kept, never]);
}

/** Expiry time of kept images. */
const never = new Date("9999-12-31T00:00:00Z");
