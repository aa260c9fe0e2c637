/** Builds the services for asynchronous captures, which outlive their requests. */

import { availableParallelism } from "node:os";
import { queuedCaller } from "../accounts/keys/caller.ts";
import { createCharge } from "../accounts/usage/charge.ts";
import { createCanceledLimit } from "../accounts/usage/rate-limit.ts";
import { perAccountMax } from "../browser/queue.ts";
import type { Queries } from "../database/database.ts";
import type { WorkLimits } from "../jobs/queue.ts";
import type { TakeOutputs } from "../screenshots/captures/take-outputs.ts";
import type { ComparedShots } from "../screenshots/captures/taken-outputs.ts";
import type { SiteRobots } from "../screenshots/crawl/site-robots.ts";
import { createVisitCrawl } from "../screenshots/crawl/visit.ts";
import { createAddEntries } from "../screenshots/queued/batch-entries.ts";
import { createBatchJobs } from "../screenshots/queued/batch-jobs.ts";
import { createBatchRecords } from "../screenshots/queued/batch-records.ts";
import { createWithinBatch, type EndedCapture } from "../screenshots/queued/ends.ts";
import { createGrantPermits, createHostPermits } from "../screenshots/queued/host-permits.ts";
import { awaitedPriority, createCaptureJobs } from "../screenshots/queued/jobs.ts";
import { createCaptureRecords } from "../screenshots/queued/records.ts";
import { createUntilEnded } from "../screenshots/queued/until-ended.ts";
import { createBackgroundAdmission } from "../screenshots/take/background-admission.ts";
import type { TakeSchema } from "../screenshots/take/take-options.ts";
import type { Config } from "../settings/config.ts";
import { systemClock as clock } from "../shared/clock.ts";
import { createLoop } from "../shared/loop.ts";
import { createSeal } from "../shared/seal.ts";
import type { Parts } from "./parts.ts";

/** Must be the same in all processes. */
const queueOptions = {
  retryLimit: 5,
  retryDelay: 2,
  retryBackoff: true,
  retryDelayMax: 300,
  expireInSeconds: 23 * 3_600, // a job may wait for a browser; its heartbeat shows that its process is alive
  retentionSeconds: 2 * 86_400,
  deleteAfterSeconds: 3_600,
};

const lostEveryMs = 10 * 60_000;
/** Interval at which free per-host permits are granted. */
const grantEveryMs = 250;

interface CaptureJobParts extends Parts {
  takeSchema: TakeSchema;
  takeOutputs: TakeOutputs;
  siteRobots: SiteRobots;
}

export function createCaptureJobServices(parts: CaptureJobParts) {
  const { config, database, jobs, browsers, emit, onDropped, opens, log } = parts;
  const { slots, metrics } = browsers;
  const captureRecords = createCaptureRecords(database);
  const queue = jobs.queue("captures", queueOptions);
  const batchRecords = createBatchRecords(database);
  const withinBatch = createWithinBatch(async (queries, { id, userId, webhookUrl, total, counts }) => {
    const { done, failed, canceled } = counts;
    if (webhookUrl !== null)
      await emit(queries, { id, userId, url: webhookUrl, type: "batch.done", data: { id, total, counts: { done, failed, canceled } } });
  });
  const shared = {
    database,
    queue,
    withinBatch,
    seal: createSeal(config.AUTH_SECRET, "queued captures"),
    chargeIn: (queries: Queries) => createCharge({ database: queries, clock, log, metrics, onDropped }),
    clock,
    retentionDaysMax: config.SCREENSHOT_RETENTION_DAYS,
  };
  const addEntries = createAddEntries(shared);
  const batchJobs = createBatchJobs({ ...shared, addEntries, batchRecords, canceledLimit: createCanceledLimit(parts.redis) });
  const permits = createHostPermits(database, {
    concurrentMax: config.MAX_CONCURRENT_JOBS_PER_HOST,
    pauseMs: config.JOB_PAUSE_PER_HOST_MS,
  });
  const captureJobs = createCaptureJobs({
    ...parts,
    ...shared,
    permits,
    visitCrawl: createVisitCrawl({ ...parts, ...shared, addEntries }),
    records: captureRecords,
    isStopping: jobs.isStopping,
    callerOf: (started) => queuedCaller(database, started),
    admitBackground: createBackgroundAdmission(slots.state, config.ROLE === "all" ? availableParallelism() : undefined),
    onEnd: async (queries, ended) => {
      if (ended.webhookUrl !== undefined) await emit(queries, eventOf(ended, ended.webhookUrl));
    },
  });
  const repeat = (work: () => Promise<void>, message: string) =>
    opens(
      "work",
      createLoop(work, (error) => log.warn({ err: error }, message)),
      (service) => service.close(),
    );
  repeat(captureJobs.endLost, "failed to search for lost captures").start(lostEveryMs);
  if (config.ROLE !== "api") {
    repeat(createGrantPermits({ ...shared, permits }), "failed to grant per-host permits").start(grantEveryMs);
    queue.work(workLimitsFor(config, slots.state().max), captureJobs.run);
  }
  return { captureJobs, captureRecords, batchJobs, batchRecords, untilEnded: createUntilEnded(captureRecords) };
}

/**
 * A process doesn't take more jobs than it has browsers, or more per account than the browser queue allows, because other processes could
 * start them sooner. One extra job may run for a waiting caller if requests share the browsers, or if jobs don't use all of them.
 */
function workLimitsFor({ ROLE, MAX_CONCURRENT_JOBS }: Config, browsers: number): WorkLimits {
  const concurrency = Math.min(MAX_CONCURRENT_JOBS ?? (ROLE === "worker" ? browsers : Math.max(1, Math.floor(browsers / 2))), browsers);
  const perAccount = Math.max(1, Math.min(concurrency - 1, perAccountMax(browsers)));
  const hasReserved = ROLE === "all" || concurrency < browsers;
  return { concurrency, perAccount, ...(hasReserved && { reserved: { concurrency: 1, minPriority: awaitedPriority } }) };
}

/** The event has no links to the outputs: the receiver fetches them with its API key. */
function eventOf({ id, userId, result }: EndedCapture, url: string) {
  if ("failure" in result) {
    const { code, message, retryable } = result.failure;
    return { id, userId, url, type: "capture.failed", data: { id, error: { code, message, retryable } } } as const;
  }
  const outputs = result.capture.outputs.map((one) =>
    "failure" in one
      ? { name: one.name, error: { code: one.failure.code, message: one.failure.message } }
      : { name: one.name, format: one.format, files: one.files.map(({ id, bytes }) => ({ id, bytes })), ...changeOf(one.comparison) },
  );
  return { id, userId, url, type: "capture.done", data: { id, outputs } } as const;
}

function changeOf(comparison: ComparedShots | undefined) {
  return comparison && { changed: comparison.isChanged, changed_share: comparison.changedShare };
}
