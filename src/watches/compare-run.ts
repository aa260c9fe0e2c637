/** Compares a run's capture with the baseline, and ends the run. */

import type { BaseLogger } from "pino";
import type { CompareOptions } from "../comparison/comparison.ts";
import { comparisonPermits } from "../comparison/permits.ts";
import type { Database } from "../database/database.ts";
import type { Job } from "../jobs/queue.ts";
import type { CaptureRecords } from "../screenshots/queue/records.ts";
import type { Clock } from "../shared/clock.ts";
import { AppError } from "../shared/errors.ts";
import type { ImageStore } from "../storage/store.ts";
import { capturedRun } from "./captured-run.ts";
import type { EndRun } from "./end-run.ts";
import { listMuted } from "./muted.ts";
import { findCaptured } from "./run-records.ts";
import { findShot, type RunShot, readShot } from "./stored-shot.ts";
import type { ComparedRun } from "./verdict.ts";
import { lockWatch, readWatch, type Watch } from "./watch-records.ts";

interface Parts {
  database: Database;
  captureRecords: Pick<CaptureRecords, "find">;
  store: ImageStore;
  endRun: EndRun;
  clock: Clock;
  log: BaseLogger;
}

/** Handles jobs of the queue. Rejects if the job should be retried. */
export type CompareRun = (job: Job, signal: AbortSignal) => Promise<void>;

/** Time during which transient failures are retried, such as a storage outage. */
const keepTryingMs = 3_600_000;
const attemptsMax = 6;

export function createCompareRun(parts: Parts): CompareRun {
  const { database, clock, log } = parts;
  const end = createCompareAndEnd(parts);

  return async ({ id, retries }, signal) => {
    const found = await findCaptured(database, id);
    if (!found) return; // the run was already ended by a process that then died, or its watch was deleted
    try {
      while (!(await end(found, id, signal))) signal.throwIfAborted(); // the baseline changed during the comparison
    } catch (error) {
      if (signal.aborted) throw error; // another process may run the job
      const known = error instanceof AppError ? error : undefined;
      const isTemporary = known ? known.retryable : retries < attemptsMax;
      if (isTemporary && clock.now() - found.capturedAt.getTime() < keepTryingMs) {
        log.warn({ err: error, runId: id }, "failed to compare the run of a watch; it will be retried");
        throw error;
      }
      log.error({ err: error, runId: id }, "failed to compare the run of a watch");
      const failure = known?.retryable === false ? known : { code: "unavailable", message: "The screenshot could not be compared." };
      const { code, message } = failure;
      await database.transaction(async (transaction) => {
        await parts.endRun(transaction, await lockWatch(transaction, found.watchId), id, [{ error: { code, message } }, undefined]);
      });
    }
  };
}

/** The function resolves to false if the baseline changed during the comparison. */
function createCompareAndEnd(parts: Parts) {
  const { database, endRun } = parts;
  return async ({ watchId, userId }: { watchId: string; userId: string }, id: string, signal: AbortSignal): Promise<boolean> => {
    const watch = await readWatch(database, { userId }, watchId);
    const captured = capturedRun(await parts.captureRecords.find({ userId }, id));
    // Only a few queued runs are compared concurrently, and they may wait.
    const within = { signal, accountWaitingMax: Number.POSITIVE_INFINITY };
    const compared =
      "error" in captured ? undefined : await comparisonPermits.run(userId, () => comparedOf(parts, watch, captured, signal), within);
    signal.throwIfAborted(); // another process may run the job
    return await database.transaction(async (transaction) => {
      const now = await lockWatch(transaction, watchId);
      if (now.acceptedRunId !== watch.acceptedRunId) return false;
      await endRun(transaction, now, id, [captured, compared]);
      return true;
    });
  };
}

async function comparedOf(parts: Parts, watch: Watch, captured: RunShot, signal: AbortSignal) {
  const shotOf = async (runId: string | null) => {
    const shot = runId === null ? undefined : await findShot(parts.database, runId);
    return shot && (await readShot(parts.store, shot, signal));
  };
  const before = await shotOf(watch.acceptedRunId);
  if (!before) return undefined;
  const after = await readShot(parts.store, captured, signal);
  if (!after) throw new AppError("unavailable", { message: "The screenshot is no longer stored." });
  const { compare } = await import("../comparison/compare.ts");
  const options = optionsOf(watch, (await listMuted(parts.database, [watch.id])).get(watch.id) ?? []);
  const { hashes: found = [], ...comparison } = await compare(before, after, { ...options, hasHashes: true }, signal);
  const hashes = comparison.isChanged ? found : [];
  const isNews = hashes.some((hash) => !watch.seen.includes(hash));
  const reported = isNews ? await shotOf(watch.reportedRunId) : undefined;
  const differsFromReported = reported ? (await compare(reported, after, options, signal)).isChanged : true;
  return { comparison, hashes, differsFromReported } satisfies ComparedRun;
}

function optionsOf(
  watch: Watch,
  muted: { selector: string | null; box: CompareOptions["ignore"]["boxes"][number] | null }[],
): CompareOptions {
  const { compareBy: by, threshold, ignoreSelectors } = watch;
  const selectors = [...ignoreSelectors, ...muted.flatMap(({ selector }) => selector ?? [])];
  return { by, threshold, ignore: { boxes: muted.flatMap(({ box }) => box ?? []), selectors } };
}
