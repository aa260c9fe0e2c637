/** Builds the services for watches: scheduling, runs, comparisons, and the owner's operations. */

import { queuedCaller } from "../accounts/keys/caller.ts";
import type { WorkLimits } from "../jobs/queue.ts";
import { systemClock as clock } from "../shared/clock.ts";
import { createLoop } from "../shared/loop.ts";
import { createSeal } from "../shared/seal.ts";
import { createBeginRun, createWatchRequests } from "../watches/begin-run.ts";
import { createCompareRun } from "../watches/compare-run.ts";
import { createEndRun } from "../watches/end-run.ts";
import { createFeedLinks } from "../watches/feed-links.ts";
import { createSchedulerTick } from "../watches/scheduler.ts";
import { createWatches } from "../watches/watches.ts";
import type { Parts } from "./parts.ts";
import type { createScreenshotServices } from "./screenshot-services.ts";

/** A comparison decodes two images of up to 50 megapixels each. */
const limits: WorkLimits = { concurrency: 2, perAccount: 1 };
/** The handler itself decides when to give up. */
const queueOptions = { retryLimit: 1_000, retryDelay: 2, retryBackoff: true, retryDelayMax: 300, deleteAfterSeconds: 3_600 };
const tickEveryMs = 1_000;
const learningGapMaxSeconds = 60;

export function createWatchServices(
  parts: Parts & Pick<ReturnType<typeof createScreenshotServices>, "captureJobs" | "captureRecords" | "takeSchema">,
) {
  const { config, jobs, opens, log } = parts;
  const queue = jobs.queue("watches", queueOptions);
  const requests = createWatchRequests(createSeal(config.AUTH_SECRET, "watches"));
  const beginRun = createBeginRun({ ...parts, requests, callerOf: queuedCaller });
  const learningGapMs = Math.min(config.WATCH_INTERVAL_MIN_SECONDS, learningGapMaxSeconds) * 1000;
  const endRun = createEndRun({ ...parts, clock, learningGapMs });
  const tick = createSchedulerTick({ ...parts, queue, beginRun, endRun, clock });
  const onFailure = (error: unknown) => log.warn({ err: error }, "failed to start watch runs; retrying");
  opens("work", createLoop(tick, onFailure), (service) => service.close()).start(tickEveryMs);
  if (config.ROLE !== "api") queue.work(limits, createCompareRun({ ...parts, endRun, clock }));
  return {
    watches: createWatches({ ...parts, beginRun, requests, clock, watchesMax: config.MAX_WATCHES }),
    feedLinks: createFeedLinks(config.AUTH_SECRET),
  };
}
