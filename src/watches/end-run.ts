/** Ends runs, each exactly once: the run's record, the watch's progress and the webhook are written in one transaction. */

import type { Queries } from "../database/database.ts";
import type { Clock } from "../shared/clock.ts";
import type { Emit } from "../webhooks/emit.ts";
import { muteLearned } from "./muted.ts";
import { recordProgress } from "./progress.ts";
import { type EndedRun, endRun } from "./run-records.ts";
import { type CapturedShots, type ComparedRun, decide, learningRuns } from "./verdict.ts";
import type { Watch } from "./watch-records.ts";

/** Does nothing if the run has already ended. @param transaction must hold the watch's lock. */
export type EndRun = (transaction: Queries, watch: Watch, runId: string, result: [CapturedShots, ComparedRun | undefined]) => Promise<void>;

interface Parts {
  emit: Emit;
  clock: Clock;
  /** Minimum time between learning runs, in milliseconds. */
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
    const learnsOn = ended.status === "learning" && (change.learned ?? 0) < learningRuns;
    await recordProgress(transaction, watch, { ...change, ...(learnsOn && isEarlier ? { nextRunAt: soon } : {}) });
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
