/** Watch operations on behalf of the owner: create, change, pause, run, accept, mute. */

import { isDeepStrictEqual } from "node:util";
import { v7 } from "uuid";
import { type Caller, type Owner, ownerOf } from "../accounts/keys/caller.ts";
import type { Database, Queries } from "../database/database.ts";
import type { CaptureJobs } from "../screenshots/queued/jobs.ts";
import { findEarlier, type Idempotency } from "../screenshots/queued/records.ts";
import type { Clock } from "../shared/clock.ts";
import { AppError, existing } from "../shared/errors.ts";
import type { BeginRun, WatchRequest, WatchRequests } from "./begin-run.ts";
import { recordProgress } from "./end-run.ts";
import { forgetLearned, type MutedRegion, mute, unmute } from "./muted.ts";
import { findRun, markAccepted, openRun, removeOpenRun } from "./run-records.ts";
import { intervalMs, nextTime } from "./schedule.ts";
import { learningRuns } from "./verdict.ts";
import {
  addWatch,
  assertMoreWatches,
  lockWatch,
  removalLimits,
  removeWatch,
  updateWatch,
  type Watch,
  type WatchContent,
  watchesOfKey,
} from "./watch-records.ts";

/** A watch as submitted in a request, after validation. */
export interface SubmittedWatch extends WatchContent, WatchRequest {
  /** The options in `given`, with secret values redacted, for display to the owner. */
  shown: Record<string, unknown>;
}

/** Methods that take a watch's id throw `not_found` if the watch doesn't exist or isn't the owner's. */
export interface Watches {
  /**
   * @returns the watch's id, or the id from an earlier request with the same idempotency key and content.
   * @throws {AppError} `watch_limit_reached`, `idempotency_key_reused`.
   */
  create(caller: Caller, submitted: SubmittedWatch, idempotency: Idempotency | undefined): Promise<string>;
  /**
   * Later captures use this caller's key, and its restrictions apply to them.
   * @param apply receives the current watch, and the options as submitted.
   * @throws {AppError} `invalid_parameters` if `AUTH_SECRET` was changed; anything that `apply` throws.
   */
  change(caller: Caller, id: string, apply: (watch: Watch, given: WatchRequest["given"]) => SubmittedWatch): Promise<void>;
  /** Also removes its runs and their images. */
  remove(owner: Owner, id: string): Promise<void>;
  pause(owner: Owner, id: string): Promise<void>;
  /** A watch that is still learning runs immediately, as does a watch with an interval if it missed a run while paused. */
  resume(owner: Owner, id: string): Promise<void>;
  /**
   * @returns the new run's id, the id of the run in progress, or the id from an earlier request with the same idempotency key and content.
   * @throws {AppError} `quota_exceeded`; `unavailable`; `idempotency_key_reused`; `invalid_parameters` if the watch's request is no longer
   *   valid; `invalid_api_key` if the watch's key can no longer be used; `not_signed_in` if the watch has no key and its
   *   account was deleted.
   */
  run(owner: Owner, id: string, idempotency: Idempotency | undefined): Promise<string>;
  /**
   * Makes a run the baseline.
   * @param runId defaults to the latest run with an image.
   * @throws {AppError} `invalid_parameters` if the run has no image.
   */
  accept(owner: Owner, id: string, runId: string | undefined): Promise<void>;
  /** @throws {AppError} `invalid_parameters` if the watch already has the maximum number of muted regions. */
  mute(owner: Owner, id: string, region: MutedRegion): Promise<void>;
  unmute(owner: Owner, id: string, muteId: string): Promise<void>;
}

interface Parts {
  database: Database;
  captureJobs: Pick<CaptureJobs, "cancel">;
  beginRun: BeginRun;
  requests: WatchRequests;
  clock: Clock;
  /** Maximum number of watches per account. */
  watchesMax: number;
}

export function createWatches(parts: Parts): Watches {
  const { database, beginRun, watchesMax } = parts;
  const locked = (owner: Owner, id: string, work: (transaction: Queries, watch: Watch) => Promise<unknown>) =>
    database.transaction(async (transaction) => void (await work(transaction, await lockWatch(transaction, id, owner))));

  return {
    create: (caller, submitted, idempotency) =>
      database.transaction(async (transaction) => {
        const { userId, id: keyId } = caller;
        const earlier = idempotency && (await findEarlier(transaction, watchesOfKey, ownerOf(caller), idempotency));
        if (earlier) return earlier.id;
        await assertMoreWatches(transaction, userId, watchesMax);
        const id = v7();
        await addWatch(transaction, { ...contentOf(parts, id, submitted), id, userId, keyId, idempotency });
        return id;
      }),
    change: createChange(parts),

    async remove(owner, id) {
      const open = await database.transaction(async (transaction) => {
        await lockWatch(transaction, id, owner);
        const run = await openRun(transaction, id);
        await removeWatch(transaction, id);
        return run;
      }, removalLimits);
      await cancelCapture(parts, owner.userId, open);
    },
    pause: (owner, id) => locked(owner, id, (transaction, watch) => recordProgress(transaction, watch, { nextRunAt: null })),
    resume: (owner, id) =>
      locked(owner, id, async (transaction, watch) => {
        if (watch.nextRunAt === null)
          await recordProgress(transaction, watch, { nextRunAt: await timeToResume(parts, transaction, watch) });
      }),

    run: (owner, id, idempotency) =>
      database.transaction(async (transaction) => {
        const watch = await lockWatch(transaction, id, owner);
        return (await openRun(transaction, id)) ?? (await beginRun(transaction, watch, idempotency));
      }),
    accept: (owner, id, runId) => locked(owner, id, (transaction, watch) => accept(transaction, watch, runId)),
    mute: (owner, id, region) => locked(owner, id, (transaction) => mute(transaction, id, region, region.selector ?? "Rectangle")),
    unmute: (owner, id, muteId) => locked(owner, id, (transaction) => unmute(transaction, id, muteId)),
  };
}

function contentOf({ requests }: Parts, id: string, { given, options, shown, ...content }: SubmittedWatch) {
  return { ...content, options: shown, request: requests.close({ given, options }, id) };
}

/** A change to the page or its options makes the watch start over, because the old baseline no longer applies. */
function createChange(parts: Parts): Watches["change"] {
  const { database, requests, clock } = parts;
  return async (caller, id, apply) => {
    const open = await database.transaction(async (transaction) => {
      const watch = await lockWatch(transaction, id, ownerOf(caller));
      const { given } = requests.open(watch.request, id);
      const submitted = apply(watch, given);
      await updateWatch(transaction, id, { ...contentOf(parts, id, submitted), keyId: caller.id });
      const now = new Date(clock.now());
      const isActive = watch.nextRunAt !== null;
      if (isActive && !isDeepStrictEqual(submitted.schedule, watch.schedule))
        await recordProgress(transaction, watch, { nextRunAt: nextTime(submitted.schedule, now, now) });
      if (isDeepStrictEqual(submitted.given, given)) return undefined;
      const run = await openRun(transaction, id);
      await removeOpenRun(transaction, id);
      await forgetLearned(transaction, id);
      const fresh = { learned: 0, isFailing: false, acceptedRunId: null, reportedRunId: null, latestRunId: null, seen: [] };
      await recordProgress(transaction, watch, { ...fresh, nextRunAt: isActive ? now : null });
      return run;
    });
    await cancelCapture(parts, caller.userId, open);
  };
}

/** Cancels a removed run's capture, unless the capture has already started. */
async function cancelCapture({ captureJobs }: Parts, userId: string, id: string | undefined): Promise<void> {
  if (id === undefined) return;
  await captureJobs.cancel({ userId }, id).catch((error) => {
    if (!(error instanceof AppError && ["capture_begun", "not_found"].includes(error.code))) throw error;
  });
}

async function timeToResume({ clock }: Parts, transaction: Queries, { id, schedule, learned }: Watch): Promise<Date> {
  const now = new Date(clock.now());
  if (schedule.every === null && learned === learningRuns) return nextTime(schedule, now, now);
  const { rows } = await transaction.query<{ at: Date | null }>("select max(created_at) as at from watch_runs where watch_id = $1", [id]);
  const at = rows[0]?.at?.getTime() ?? 0;
  const gapMs = schedule.every === null || learned < learningRuns ? 0 : (intervalMs(schedule.every) ?? 0);
  return new Date(Math.max(now.getTime(), at + gapMs));
}

async function accept(transaction: Queries, watch: Watch, given: string | undefined): Promise<void> {
  const refuse = (message: string) => new AppError("invalid_parameters", { details: [{ parameter: "run_id", message }] });
  const runId = given ?? watch.latestRunId;
  if (runId === null) throw refuse("the watch has no run with an image");
  const run = existing(await findRun(transaction, watch.id, runId));
  if (watch.acceptedRunId === runId) return;
  if (!run.screenshot) throw refuse("run_id names a run that has no image, or whose image has expired");
  await markAccepted(transaction, runId);
  await recordProgress(transaction, watch, { acceptedRunId: runId, reportedRunId: null, seen: [] });
}
