/** Ends runs, each exactly once: the run's record, the watch's progress and the webhook are written in one transaction. */

import type { Queries } from "../database/database.ts";
import type { Clock } from "../shared/clock.ts";
import type { Emit } from "../webhooks/emit.ts";
import { muteLearned } from "./muted.ts";
import { type EndedRun, endRun } from "./run-records.ts";
import { type CapturedShots, type ComparedRun, decide, learningRuns } from "./verdict.ts";
import type { Watch } from "./watch-records.ts";

/** Does nothing if the run has already ended. @param transaction must hold the watch's lock. */
export type EndRun = (transaction: Queries, watch: Watch, runId: string, result: [CapturedShots, ComparedRun | undefined]) => Promise<void>;

interface Parts {
  emit: Emit;
  clock: Clock;
  /** Milliseconds until the next learning run, unless the watch is due earlier. */
  learningGapMs: number;
}

const regionsSent = 10;

export function createEndRun({ emit, clock, learningGapMs }: Parts): EndRun {
  return async (transaction, watch, runId, [captured, compared]) => {
    const { ended, change, learned } = decide(watch, runId, captured, compared);
    if (!(await endRun(transaction, runId, ended))) return;
    await muteLearned(transaction, watch.id, learned);
    const soon = new Date(clock.now() + learningGapMs);
    const isEarlier = watch.nextRunAt !== null && soon < watch.nextRunAt;
    const isStillLearning = ended.status === "learning" && (change.learned ?? 0) < learningRuns;
    await recordProgress(transaction, watch, { ...change, ...(isStillLearning && isEarlier ? { nextRunAt: soon } : {}) });
    if (ended.isReported && watch.webhookUrl !== null) await emit(transaction, eventOf(watch, runId, ended, watch.webhookUrl));
  };
}

function eventOf({ id: watch_id, userId, name, url: page }: Watch, runId: string, { error, comparison }: EndedRun, url: string) {
  const data = { watch_id, run_id: runId, name, url: page };
  if (error) return { id: runId, userId, url, type: "watch.failed", data: { ...data, error } } as const;
  const regions = (comparison?.regions ?? []).slice(0, regionsSent).map(regionAnswer);
  return {
    id: runId,
    userId,
    url,
    type: "watch.changed",
    data: { ...data, changed_share: comparison?.changedShare ?? null, regions },
  } as const;
}

/** A region as the API returns it. */
export function regionAnswer(region: NonNullable<EndedRun["comparison"]>["regions"][number]) {
  const { kind, before, after, selector, name, textBefore, textAfter } = region;
  return { kind, name, selector, before, after, text_before: textBefore, text_after: textAfter };
}

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

/** Images that a watch uses don't expire; when it releases them, their regular expiry is restored. */
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
