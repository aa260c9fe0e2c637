/** Builds every service but the browsers from the settings, in order, and closes them in reverse. */

import { once } from "node:events";
import type { Logger } from "pino";
import { createKeys } from "./accounts/keys/authenticate.ts";
import { createSignatures } from "./accounts/keys/signature.ts";
import { createCleanUp } from "./accounts/people/clean-up.ts";
import { createSignIn } from "./accounts/people/sign-in.ts";
import { createSignInLimit } from "./accounts/people/sign-in-limit.ts";
import { createUsage } from "./accounts/usage/counts.ts";
import { createQuota } from "./accounts/usage/quota.ts";
import { createRateLimiter } from "./accounts/usage/rate-limit.ts";
import { createQuotaSweep } from "./accounts/usage/sweep.ts";
import type { Browsers } from "./browsers.ts";
import { createCapture } from "./capture/capture.ts";
import { systemClock } from "./clock.ts";
import type { Config } from "./config.ts";
import { createDatabase, createPool, databaseSettingsOf } from "./database.ts";
import { migrateWhenReachable } from "./database-start.ts";
import { EgressRefused, type Vet } from "./egress/vet.ts";
import { AppError } from "./errors.ts";
import type { HealthCheck } from "./http/health.ts";
import { createImageStore } from "./images/create-store.ts";
import { createLinks } from "./images/link.ts";
import { createRetention } from "./images/retention.ts";
import { limitsOf } from "./limits.ts";
import { createRedis, redisSettingsOf } from "./redis.ts";
import { createArchive } from "./screenshots/archive.ts";
import { createCaptureCache } from "./screenshots/cache.ts";
import { createCaptureAndStore } from "./screenshots/capture-and-store.ts";
import { createHotPictures } from "./screenshots/hot-images.ts";
import { createLeases } from "./screenshots/lease.ts";
import { createTakeScreenshot } from "./screenshots/take.ts";
import { createTakeSchema } from "./screenshots/take-options.ts";

export type Services = Awaited<ReturnType<typeof createServices>>;

const pendingUploadBytesMax = 256 * 1024 * 1024;
const hotPicturesBytesMax = 64 * 1024 * 1024;
const sweepEveryMs = 30_000;
const retentionEveryMs = 10 * 60_000;
const cleanUpEveryMs = 10 * 60_000;
const redisReadyTimeoutMs = 2_000;
const drainTimeoutMs = 20_000;

/**
 * Connects and migrates the database. The browsers may still be on their way: whoever lets requests in awaits `browsers.started` first.
 * @param browsers stay the caller's, who closes them last.
 * @param redisTimeoutMs after which Redis counts as away for one command.
 * @throws what kept it from starting, with words for the operator; what was opened until then is closed.
 */
export async function createServices(config: Config, { metrics, vet, slots }: Browsers, log: Logger, redisTimeoutMs = 250) {
  const clock = systemClock;
  const opened: (() => unknown)[] = [];
  const opens = <T>(service: T, close: (service: T) => unknown): T => {
    opened.push(() => close(service));
    return service;
  };
  const closeAll = async () => {
    for (const close of opened.splice(0).reverse()) {
      try {
        await close();
      } catch (error) {
        log.warn({ err: error }, "a service did not close cleanly");
      }
    }
  };

  try {
    const databaseSettings = databaseSettingsOf(config);
    const redis = opens(createRedis({ ...redisSettingsOf(config), commandTimeoutMs: redisTimeoutMs }, log), (service) =>
      service.disconnect(),
    );
    // Redis may be away: nothing waits for it but the first request, which should find it where it is there.
    const redisAnswers = once(redis, "ready", { signal: AbortSignal.timeout(Math.max(redisReadyTimeoutMs, redisTimeoutMs)) }).catch(
      () => {},
    );
    await migrateWhenReachable(databaseSettings, log);
    await redisAnswers;

    const pool = opens(createPool(databaseSettings, log), (service) => service.end());
    const database = createDatabase(pool);
    const store = opens(await createImageStore(config, log), (service) => service.close());
    store
      .prepare(AbortSignal.timeout(30_000))
      .catch((error) => log.error({ err: error }, "the storage can't be used; captures go on without being stored"));

    const keys = opens(createKeys({ database, clock, log, listen: databaseSettings }), (service) => service.close());
    const usage = opens(createUsage(database, clock, log), (service) => service.close());
    const cleanUp = opens(createCleanUp(database, log), (service) => service.close());
    cleanUp.start(cleanUpEveryMs);
    const signIn = createSignIn(
      database,
      { pool, secret: config.AUTH_SECRET, publicUrl: config.WEB_PUBLIC_URL, log },
      config.WEB_IDP_CLIENT_ID === ""
        ? undefined
        : { clientId: config.WEB_IDP_CLIENT_ID, clientSecret: config.WEB_IDP_CLIENT_SECRET, issuer: config.WEB_IDP_ISSUER },
    );
    const rateLimiter = createRateLimiter(
      redis,
      { windowMs: config.RATE_LIMIT_WINDOW_MS, maxRequests: config.RATE_LIMIT_MAX_REQUESTS },
      clock,
    );
    const quota = createQuota({ database, clock, metrics });
    const quotaSweep = opens(createQuotaSweep({ database, log, metrics }), (service) => service.close());
    quotaSweep.start(sweepEveryMs);
    const retention = opens(createRetention({ database, store, log }), (service) => service.close());
    retention.start(retentionEveryMs);
    const archive = opens(createArchive({ store, log, metrics, pendingBytesMax: pendingUploadBytesMax }), async (service) => {
      const abandoned = await service.drain(AbortSignal.timeout(drainTimeoutMs));
      if (abandoned > 0) log.error({ abandoned }, "pictures were not stored before the end");
    });
    const cache = createCaptureCache({
      redis,
      store,
      hot: createHotPictures(hotPicturesBytesMax),
      clock,
      log,
      indexTimeoutMs: redisTimeoutMs,
    });

    const limits = limitsOf(config);
    const takeSchema = createTakeSchema(limits);
    const takeCapture = createCapture({ slots, limits, log, metrics });
    const captureAndStore = createCaptureAndStore({
      quota,
      takeCapture,
      archive,
      cache,
      takeSchema,
      clock,
      log,
      retentionDaysMax: config.SCREENSHOT_RETENTION_DAYS,
    });
    const healthChecks: HealthCheck[] = [
      { name: "database", vital: true, run: async () => void (await pool.query("select 1")) },
      { name: "cache", vital: false, run: async () => void (await redis.ping()) },
      { name: "storage", vital: false, run: async (signal) => void (await store.check(signal)) },
      {
        name: "browser",
        vital: true,
        run: async (signal) => {
          await slots.check(signal);
          return slots.state();
        },
      },
    ];
    let closing = false;
    return {
      config,
      metrics,
      takeSchema,
      healthChecks,
      clock,
      database,
      keys,
      usage,
      signIn,
      countTry: createSignInLimit(redis),
      rateLimiter,
      signatures: createSignatures(config.AUTH_SECRET, clock),
      cache,
      store,
      slots,
      links: createLinks(config.AUTH_SECRET, clock),
      takeScreenshot: createTakeScreenshot({
        cache,
        takeLease: createLeases(redis),
        captureAndStore,
        vetTarget: (url, signal) => vetTarget(vet, url, signal),
      }),
      closing: () => closing,
      /** First step of the shutdown: new captures get 503, those that run or wait for a browser go on until their deadline. */
      stopAdmitting: () => {
        closing = true;
        slots.stopQueue();
      },
      /** Last step but the browsers' end, after the HTTP side: drains uploads, closes connections. */
      close: closeAll,
    };
  } catch (error) {
    await closeAll();
    throw error;
  }
}

/** The wall's refusal in the caller's words: generic, no map of the inside. */
async function vetTarget(vet: Vet, url: URL, signal: AbortSignal): Promise<void> {
  try {
    await vet.vetUrl(url, signal);
  } catch (error) {
    if (!(error instanceof EgressRefused)) throw error;
    throw new AppError(error.asUnresolved ? "name_not_resolved" : "target_blocked", { cause: error });
  }
}
