/** Builds the services that take screenshots, with this process's browsers or, with `ROLE=api`, through other processes. */

import { createPageSessions } from "../accounts/sessions/page-sessions.ts";
import { createAwaitedCharges } from "../accounts/usage/awaited-charges.ts";
import { createCapture } from "../capture/capture.ts";
import { createCaptureOutputs } from "../capture/outputs.ts";
import { createTakeOutputs, type TakeOutputs } from "../screenshots/captures/take-outputs.ts";
import { createSiteRobots } from "../screenshots/crawl/site-robots.ts";
import { createRemoteCapture, remoteGraceMs } from "../screenshots/queued/remote-capture.ts";
import { createArchive } from "../screenshots/take/archive.ts";
import { type CaptureAndStoreParts, createCaptureAndStore } from "../screenshots/take/capture-and-store.ts";
import { type AcquireLease, createLeases } from "../screenshots/take/lease.ts";
import { createProxies } from "../screenshots/take/proxies.ts";
import { createRefresher } from "../screenshots/take/refresh.ts";
import { createTakeSchema } from "../screenshots/take/take-options.ts";
import { createTakeScreenshot } from "../screenshots/take/take-screenshot.ts";
import { parseProxies } from "../settings/proxies.ts";
import { systemClock as clock } from "../shared/clock.ts";
import { createSeal } from "../shared/seal.ts";
import { createReadRobots } from "../sitemaps/read-robots.ts";
import { createReadSitemap } from "../sitemaps/read-sitemap.ts";
import { createReadingLimit } from "../sitemaps/reading-limit.ts";
import { createLinks } from "../storage/link.ts";
import { createRetention } from "../storage/retention.ts";
import { createCaptureJobServices } from "./capture-job-services.ts";
import { limitsOf } from "./limits.ts";
import type { Parts } from "./parts.ts";

const pendingUploadBytesMax = 256 * 1024 * 1024;
const retentionEveryMs = 10 * 60_000;
/** How long a capture that is about to finish may run past its deadline, if it runs in this process. */
const localGraceMs = 200;
/** Used with `ROLE=api`: the capturing process takes the lease. */
const leaseElsewhere: AcquireLease = async () => ({ end: () => {} });

export function createScreenshotServices(parts: Parts) {
  const { config, database, store, cache, copyStored, usage, log, opens } = parts;
  const { vetTarget, connect } = parts.browsers; // made in network.ts
  const pageSessions = createPageSessions(database, createSeal(config.AUTH_SECRET, "page sessions"), config.MAX_SESSIONS);
  const proxies = createProxies({ named: parseProxies(config.PROXIES), isByRequest: config.PROXY_BY_REQUEST, vetTarget });
  opens("work", createRetention({ database, store, log }), (service) => service.close()).start(retentionEveryMs, { spread: 1 });
  const takeSchema = createTakeSchema(limitsOf(config));
  const takeOutputsLater: TakeOutputs = (...request) => takeOutputs(...request); // built below
  const takeTurn = createReadingLimit();
  const siteRobots = createSiteRobots({ readRobots: createReadRobots(takeTurn), proxies, connect });
  const queued = createCaptureJobServices({ ...parts, takeSchema, takeOutputs: takeOutputsLater, siteRobots });
  const isRemote = config.ROLE === "api";
  // Finalizes the charges for captures made by workers once the responses have been sent.
  const charges = opens("flush", createAwaitedCharges(parts.charge, log), (service) => service.close());
  const remote = createRemoteCapture({ ...queued, charges, store });
  const local = createLocalCapture({ ...parts, sessions: pageSessions, proxies });
  const takeScreenshot = createTakeScreenshot({
    ...{ cache, clock, proxies, sessions: pageSessions, vetTarget, copyStored },
    acquireLease: isRemote ? leaseElsewhere : local.acquireLease,
    captureAndStore: isRemote ? remote.captureAndStore : local.captureAndStore,
    endingGraceMs: isRemote ? remoteGraceMs : localGraceMs,
  });
  const takeOutputs = isRemote ? remote.takeOutputs : local.createTakeOutputs(takeScreenshot);
  const refresher = createRefresher({ takeScreenshot, acquireLease: local.acquireLease, usage, log });
  opens("work", refresher, (service, deadline) => service.close(deadline));
  return {
    takeSchema,
    cache,
    links: createLinks(config.AUTH_SECRET, clock),
    takeScreenshot,
    takeOutputs,
    refresher,
    pageSessions,
    proxies,
    readSitemap: createReadSitemap(connect, takeTurn),
    siteRobots,
    ...queued,
  };
}

function createLocalCapture(parts: Parts & Pick<CaptureAndStoreParts, "sessions" | "proxies">) {
  const { config, browsers, redis, store, log, opens } = parts;
  const { metrics, slots } = browsers;
  const archive = createArchive({ store, log, metrics, pendingBytesMax: pendingUploadBytesMax });
  opens("flush", archive, async (service, deadline) => {
    const abandoned = await service.drain(deadline);
    if (abandoned > 0) log.error({ abandoned }, "images could not be stored before the shutdown");
  });
  const capturing = { slots, limits: limitsOf(config), log, metrics };
  const storing = { ...parts, archive, clock, retentionDaysMax: config.SCREENSHOT_RETENTION_DAYS };
  const acquireLease = createLeases(redis);
  return {
    acquireLease,
    captureAndStore: createCaptureAndStore({ ...storing, takeCapture: createCapture(capturing) }),
    createTakeOutputs: (takeScreenshot: ReturnType<typeof createTakeScreenshot>) =>
      createTakeOutputs({ ...storing, takeScreenshot, acquireLease, captureOutputs: createCaptureOutputs(capturing) }),
  };
}
