/** Builds every service but the browsers from the settings, in order, and closes them in reverse. */

import { once } from "node:events";
import type { Logger } from "pino";
import { createBilling } from "./accounts/billing/billing.ts";
import { createKeys } from "./accounts/keys/authenticate.ts";
import { createSignatures } from "./accounts/keys/signature.ts";
import { createCleanUp } from "./accounts/people/clean-up.ts";
import { createSignIn } from "./accounts/people/sign-in.ts";
import { createSignInLimit } from "./accounts/people/sign-in-limit.ts";
import { createSignUpPolicy } from "./accounts/people/sign-up.ts";
import { createUsage } from "./accounts/usage/counts.ts";
import { createMoveCost } from "./accounts/usage/move-cost.ts";
import { createQuota } from "./accounts/usage/quota.ts";
import { createRateLimiter } from "./accounts/usage/rate-limit.ts";
import { createRecordRefusedTarget } from "./accounts/usage/refused-target.ts";
import { createQuotaSweep } from "./accounts/usage/sweep.ts";
import type { Browsers } from "./browsers.ts";
import { createCapture } from "./capture/capture.ts";
import { createCaptureOutputs } from "./capture/capture-outputs.ts";
import { createCaptureJobServices } from "./capture-job-services.ts";
import { systemClock as clock } from "./clock.ts";
import { createCloser, type Opens } from "./closer.ts";
import type { Config } from "./config.ts";
import { createDatabase, createPool, databaseSettingsOf } from "./database.ts";
import { migrateWhenReachable } from "./database-start.ts";
import { createHealth } from "./health.ts";
import { createImageStore } from "./images/create-store.ts";
import { createLinks } from "./images/link.ts";
import { createRetention } from "./images/retention.ts";
import { createJobs } from "./jobs/queue.ts";
import { limitsOf } from "./limits.ts";
import { createMailServices } from "./mail-services.ts";
import { commaList } from "./read-config.ts";
import { createRedis, redisSettingsOf } from "./redis.ts";
import { createArchive } from "./screenshots/archive.ts";
import { createCaptureCache } from "./screenshots/cache.ts";
import { createCaptureAndStore } from "./screenshots/capture-and-store.ts";
import { createLeases } from "./screenshots/lease.ts";
import { createRefresher } from "./screenshots/refresh.ts";
import { createTakeScreenshot } from "./screenshots/take.ts";
import { createTakeSchema } from "./screenshots/take-options.ts";
import { createTakeOutputs } from "./screenshots/take-outputs.ts";
import { createWebhookServices } from "./webhook-services.ts";

export type Services = Awaited<ReturnType<typeof createServices>>;

const pendingUploadBytesMax = 256 * 1024 * 1024;
const imagesInMemoryBytesMax = 64 * 1024 * 1024;
const sweepEveryMs = 30_000;
const billingEveryMs = 15_000;
const retentionEveryMs = 10 * 60_000;
const cleanUpEveryMs = 10 * 60_000;
const redisReadyTimeoutMs = 2_000;
const drainTimeoutMs = 20_000;
const jobsTimeoutMs = 30_000;

/**
 * Connects and migrates the database. The browsers may still be starting: await `browsers.started` before serving requests.
 * @param browsers are closed by the caller, after the services.
 * @param redisTimeoutMs deadline of a single Redis command.
 * @throws an error with a message for the operator; whatever was opened is closed again.
 */
export async function createServices(config: Config, browsers: Browsers, log: Logger, redisTimeoutMs = 250) {
  const opened = createCloser(log);
  const context: Context = { config, browsers, log, opens: opened.opens, redisTimeoutMs };
  try {
    const stores = await openStores(context);
    const accounts = createAccountServices(context, stores);
    const screenshots = createScreenshotServices(context, stores, accounts);
    const jobs = opened.opens(createJobs(stores.databaseSettings, log), (service) => service.close(jobsTimeoutMs));
    const webhooks = createWebhookServices(config, {
      database: stores.database,
      jobs,
      connections: browsers,
      log,
      metrics: browsers.metrics,
    });
    const queued = createCaptureJobServices(config, { ...context, ...stores, ...accounts, ...screenshots, jobs, emit: webhooks.emit });
    jobs.start();
    const closing = new AbortController();
    return {
      config,
      metrics: browsers.metrics,
      clock,
      slots: browsers.slots,
      database: stores.database,
      store: stores.store,
      ...accounts,
      ...screenshots,
      ...queued,
      webhooks,
      health: createHealthReport(browsers, stores),
      /** Aborts when the shutdown begins. */
      closing: closing.signal,
      /** First step of the shutdown: new captures get 503; those that run or wait for a browser go on until their deadline. */
      stopAdmitting: () => {
        closing.abort();
        jobs.stopWork();
        browsers.slots.stopQueue();
      },
      /** After the HTTP side, before the browsers: drains uploads, closes connections. */
      close: opened.closeAll,
    };
  } catch (error) {
    await opened.closeAll();
    throw error;
  }
}

interface Context {
  config: Config;
  browsers: Browsers;
  log: Logger;
  opens: Opens;
  redisTimeoutMs: number;
}

type Accounts = ReturnType<typeof createAccountServices>;
type Stores = Awaited<ReturnType<typeof openStores>>;

async function openStores({ config, log, opens, redisTimeoutMs }: Context) {
  const databaseSettings = databaseSettingsOf(config);
  const redis = opens(createRedis({ ...redisSettingsOf(config), commandTimeoutMs: redisTimeoutMs }, log), (service) =>
    service.disconnect(),
  );
  // Redis is optional: the start waits for it only briefly, for the sake of the first request.
  const redisReady = once(redis, "ready", { signal: AbortSignal.timeout(Math.max(redisReadyTimeoutMs, redisTimeoutMs)) }).catch(() => {});
  await migrateWhenReachable(databaseSettings, log);
  await redisReady;

  const pool = opens(createPool(databaseSettings, log), (service) => service.end());
  // The library's hooks run statements of our own while its transaction is open: from one pool, ten sign-ups at once would wait for ever.
  const signInPool = opens(createPool(databaseSettings, log), (service) => service.end());
  const store = opens(await createImageStore(config, log), (service) => service.close());
  store
    .prepare(AbortSignal.timeout(30_000))
    .catch((error) => log.error({ err: error }, "the storage is not usable; captures continue without being stored"));
  return { redis, databaseSettings, pool, signInPool, database: createDatabase(pool), store };
}

function createAccountServices({ config, browsers: { metrics }, log, opens }: Context, stores: Stores) {
  const { redis, databaseSettings, signInPool, database } = stores;
  const keys = opens(createKeys({ database, clock, log, listen: databaseSettings }), (service) => service.close());
  const usage = opens(createUsage(database, clock, log), (service) => service.close());
  opens(createCleanUp(database, log), (service) => service.close()).start(cleanUpEveryMs);
  opens(createQuotaSweep({ database, log, metrics }), (service) => service.close()).start(sweepEveryMs);
  const billing = createBilling(config, { database, clock, log, metrics });
  if (billing) opens(billing.dueAccounts, (service) => service.close()).start(billingEveryMs);
  const provider =
    config.WEB_IDP_CLIENT_ID === ""
      ? undefined
      : { clientId: config.WEB_IDP_CLIENT_ID, clientSecret: config.WEB_IDP_CLIENT_SECRET, issuer: config.WEB_IDP_ISSUER };
  const rateLimit = { windowMs: config.RATE_LIMIT_WINDOW_MS, maxRequests: config.RATE_LIMIT_MAX_REQUESTS };
  const signUp = createSignUpPolicy(database, config.SIGN_UP, commaList(config.SIGN_UP_DOMAINS));
  const { WEB_PUBLIC_URL: publicUrl, REQUIRE_SECOND_FACTOR: secondFactorRule } = config;
  const { mailer, accountMail: mail } = createMailServices(config, { database, redis, log, metrics, opens });
  return {
    keys,
    usage,
    signUp,
    billing,
    quota: createQuota({ database, clock, metrics }),
    recordRefusedTarget: createRecordRefusedTarget(database, clock, config.SCREENSHOT_RETENTION_DAYS),
    mailer,
    signIn: createSignIn(
      database,
      { pool: signInPool, secret: config.AUTH_SECRET, publicUrl, log, signUp, mail, secondFactorRule },
      provider,
    ),
    countTry: createSignInLimit(redis),
    rateLimiter: createRateLimiter(redis, rateLimit, clock),
    signatures: createSignatures(config.AUTH_SECRET, clock),
  };
}

function createScreenshotServices({ config, browsers, log, opens }: Context, stores: Stores, { quota, usage }: Accounts) {
  const { redis, database, store } = stores;
  const { metrics, slots, vetTarget } = browsers;
  opens(createRetention({ database, store, log }), (service) => service.close()).start(retentionEveryMs);
  const archive = opens(createArchive({ store, log, metrics, pendingBytesMax: pendingUploadBytesMax }), async (service) => {
    const abandoned = await service.drain(AbortSignal.timeout(drainTimeoutMs));
    if (abandoned > 0) log.error({ abandoned }, "images were not stored before the end");
  });
  const cache = createCaptureCache({ redis, store, clock, log, memoryBytesMax: imagesInMemoryBytesMax });
  const limits = limitsOf(config);
  const takeSchema = createTakeSchema(limits);
  const capturing = { slots, limits, log, metrics };
  const storing = { quota, archive, cache, clock, log, retentionDaysMax: config.SCREENSHOT_RETENTION_DAYS };
  const captureAndStore = createCaptureAndStore({ ...storing, takeCapture: createCapture(capturing) });
  const takeLease = createLeases(redis);
  const takeScreenshot = createTakeScreenshot({ cache, clock, takeLease, captureAndStore, vetTarget });
  const refresher = opens(createRefresher({ takeScreenshot, takeLease, usage, log }), (service) =>
    service.close(AbortSignal.timeout(drainTimeoutMs)),
  );
  const captureOutputs = createCaptureOutputs(capturing);
  const takeOutputs = createTakeOutputs({ ...storing, captureOutputs, moveCost: createMoveCost(database), takeScreenshot, takeLease });
  return { takeSchema, cache, links: createLinks(config.AUTH_SECRET, clock), takeScreenshot, takeOutputs, refresher };
}

function createHealthReport({ slots }: Browsers, { pool, redis, store }: Stores) {
  return createHealth([
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
  ]);
}
