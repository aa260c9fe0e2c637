/** Builds every service except the browsers from the settings, in dependency order. */

import { once } from "node:events";
import type { Logger } from "pino";
import { createBilling } from "../accounts/billing/billing.ts";
import { createKeys } from "../accounts/keys/authenticate.ts";
import { createSignatures } from "../accounts/keys/restrictions.ts";
import { createAccountMail } from "../accounts/people/account-mail.ts";
import { createCleanUp } from "../accounts/people/clean-up.ts";
import { createSignIn } from "../accounts/people/sign-in.ts";
import { createSignUpPolicy } from "../accounts/people/sign-up.ts";
import { createSignInAttempts } from "../accounts/sessions/sign-in-attempts.ts";
import { createBrowserMinutes } from "../accounts/usage/browser-minutes.ts";
import { createCharge } from "../accounts/usage/charge.ts";
import { createUsageCounts } from "../accounts/usage/counts.ts";
import type { DroppedImage, OnDropped } from "../accounts/usage/drop.ts";
import { createNotices } from "../accounts/usage/notices.ts";
import { createChangeLimit, createRateLimiter, createSendLimit, createSignInLimit } from "../accounts/usage/rate-limit.ts";
import { createRecordRefusedTarget } from "../accounts/usage/refused-target.ts";
import { createQuotaSweep } from "../accounts/usage/sweep.ts";
import { createPool } from "../database/create-pool.ts";
import { createDatabase } from "../database/database.ts";
import { createMonthsLoop } from "../database/screenshot-months-loop.ts";
import { createJobs } from "../jobs/queue.ts";
import { createMailer } from "../mail/mailer.ts";
import { countStartable } from "../screenshots/queued/host-permits.ts";
import { type CaptureCache, createCaptureCache } from "../screenshots/take/cache.ts";
import type { Config } from "../settings/config.ts";
import { databaseSettingsOf } from "../settings/database-settings.ts";
import { commaList } from "../settings/read-config.ts";
import { systemClock as clock } from "../shared/clock.ts";
import { createImageStore } from "../storage/create-store.ts";
import type { Metrics } from "../telemetry/metrics.ts";
import type { Browsers } from "./browsers.ts";
import type { Opens } from "./closer.ts";
import { migrateWhenReachable, type Waiting } from "./database-start.ts";
import { createDestinationServices } from "./destination-services.ts";
import { createHealthReports } from "./health-reports.ts";
import type { Parts } from "./parts.ts";
import { createRedis, redisSettingsOf } from "./redis.ts";
import { createScreenshotServices } from "./screenshot-services.ts";
import { createWatchServices } from "./watch-services.ts";
import { createWebhookServices } from "./webhook-services.ts";

export type Services = Awaited<ReturnType<typeof createServices>>;

const monthsEveryMs = 10 * 60_000;
const sweepEveryMs = 30_000;
const billingEveryMs = 15_000;
const cleanUpEveryMs = 10 * 60_000;
const imagesInMemoryBytesMax = 64 * 1024 * 1024;
const redisReadyTimeoutMs = 2_000;
const defaultRedisTimeoutMs = 250;

interface StoreLimits {
  /** Deadline of a single Redis command. */
  redisTimeoutMs?: number;
  waiting?: Waiting;
}

/**
 * Connects to the stores, migrates the database and builds the services. The browsers may still be starting: await `browsers.started`
 * before serving requests.
 * @param opens registers each service as soon as it is open, so that it is closed even if this throws.
 * @throws an error with a message for the operator.
 */
export async function createServices(
  config: Config,
  browsers: Browsers,
  log: Logger,
  opens: Opens,
  { redisTimeoutMs = defaultRedisTimeoutMs, waiting = {} }: StoreLimits = {},
) {
  const context: Context = { config, browsers, log, opens, redisTimeoutMs, waiting };
  const stores = await openStores(context);
  const cache = createCaptureCache({ ...stores, clock, log, memoryBytesMax: imagesInMemoryBytesMax });
  const onDropped = createForget(cache, log);
  const accounts = createAccountServices(context, stores, onDropped);
  const jobs = opens("work", createJobs(stores.databaseSettings, log), (service, _deadline, ms) => service.close(ms));
  const months = opens("work", createMonthsLoop(stores.databaseSettings, log), (service) => service.close());
  const { metrics } = browsers;
  const { copier, servicesWith } = createDestinationServices(config, { ...stores, connections: browsers });
  const webhooks = createWebhookServices(
    config,
    { database: stores.database, jobs, connections: browsers, log, metrics, copier },
    config.ROLE !== "api",
  );
  const copying = servicesWith(webhooks.enqueue);
  const parts = { ...context, ...stores, ...accounts, ...copying, cache, onDropped, jobs, emit: webhooks.emit };
  const screenshots = createScreenshotServices(parts);
  const watching = createWatchServices({ ...parts, ...screenshots });
  const closing = new AbortController();
  return {
    config,
    metrics,
    clock,
    slots: browsers.slots,
    lent: browsers.lent,
    browserIdentity: browsers.identity,
    connect: browsers.connect,
    database: stores.database,
    store: stores.store,
    ...accounts,
    ...screenshots,
    ...watching,
    ...copying,
    webhooks,
    ...createHealthReports(config, browsers, stores, jobs),
    queuedCaptures: () => countStartable(stores.database, config.MAX_CONCURRENT_JOBS_PER_HOST),
    /**
     * Starts the job queue, and the upkeep of monthly partitions. Loading and connecting the queue takes time, so only workers call this
     * before they serve requests; `send` waits for the queue.
     */
    startJobs: () => {
      jobs.start();
      months.start(monthsEveryMs, { immediately: true, spread: 1 });
    },
    /** Aborts when the shutdown begins. */
    closing: closing.signal,
    /**
     * First step of the shutdown: new captures get a 503; captures that are running or waiting for a browser continue until their deadline.
     */
    stopAdmitting: () => {
      closing.abort();
      jobs.stopWork();
      browsers.slots.stopQueue();
    },
  };
}

interface Context {
  config: Config;
  browsers: Browsers;
  log: Logger;
  opens: Opens;
  redisTimeoutMs: number;
  waiting: Waiting;
}

type Stores = Awaited<ReturnType<typeof openStores>>;

async function openStores({ config, log, opens, redisTimeoutMs, waiting }: Context) {
  const databaseSettings = databaseSettingsOf(config);
  const redisSettings = { ...redisSettingsOf(config), commandTimeoutMs: redisTimeoutMs };
  const redis = opens("connections", createRedis(redisSettings, log), (service) => service.disconnect());
  // Startup waits for Redis, so that the first request can use it, but only briefly, because Redis is optional.
  const redisReady = once(redis, "ready", { signal: AbortSignal.timeout(Math.max(redisReadyTimeoutMs, redisTimeoutMs)) }).catch(() => {});
  await migrateWhenReachable(databaseSettings, log, waiting);
  await redisReady;
  const pool = opens("connections", createPool(databaseSettings, log), (service) => service.end());
  // The sign-in library's hooks run our statements while its transaction is open: with one pool, ten concurrent sign-ups would deadlock.
  const signInPool = opens("connections", createPool(databaseSettings, log), (service) => service.end());
  const store = opens("connections", await createImageStore(config, log), (service) => service.close());
  store
    .prepare(AbortSignal.timeout(30_000))
    .catch((error) => log.error({ err: error }, "object storage is not usable; captures continue without being stored"));
  return { redis, databaseSettings, pool, signInPool, database: createDatabase(pool), store };
}

/** Removes dropped images from the cache. While Redis is down, the cache serves nothing anyway. */
function createForget(cache: CaptureCache, log: Logger): OnDropped {
  const forget = ({ id, userId, cacheKey }: DroppedImage) =>
    cache.forget(userId, cacheKey, id).catch((error) => log.warn({ err: error, imageId: id }, "failed to remove a cache entry"));
  return async (images) => void (await Promise.all(images.map(forget)));
}

function createAccountServices({ config, browsers: { metrics }, log, opens }: Context, stores: Stores, onDropped: OnDropped) {
  const { redis, databaseSettings, signInPool, database } = stores;
  const keys = opens("work", createKeys({ database, clock, log, listen: databaseSettings }), (service) => service.close());
  const usage = opens("flush", createUsageCounts(database, clock, log), (service) => service.close());
  opens("work", createCleanUp(database, log), (service) => service.close()).start(cleanUpEveryMs);
  opens("work", createQuotaSweep({ database, log, metrics, onDropped }), (service) => service.close()).start(sweepEveryMs);
  const billing = createBilling(config, { database, clock, log, metrics });
  if (billing) opens("work", billing.dueAccounts, (service) => service.close()).start(billingEveryMs);
  const provider =
    config.WEB_IDP_CLIENT_ID === ""
      ? undefined
      : { clientId: config.WEB_IDP_CLIENT_ID, clientSecret: config.WEB_IDP_CLIENT_SECRET, issuer: config.WEB_IDP_ISSUER };
  const rateLimit = { windowMs: config.RATE_LIMIT_WINDOW_MS, maxRequests: config.RATE_LIMIT_MAX_REQUESTS };
  const signUp = createSignUpPolicy(database, config.SIGN_UP, commaList(config.SIGN_UP_DOMAINS));
  const { WEB_PUBLIC_URL: publicUrl, REQUIRE_SECOND_FACTOR: secondFactorRule } = config;
  const { mailer, accountMail: mail } = createMailServices({ config, database, redis, log, opens }, metrics);
  return {
    keys,
    usage,
    signUp,
    billing,
    browserMinutes: createBrowserMinutes(database, clock),
    charge: createCharge({ database, clock, log, metrics, onDropped }),
    recordRefusedTarget: createRecordRefusedTarget(database, clock, config.SCREENSHOT_RETENTION_DAYS),
    mailer,
    signIn: createSignIn(
      database,
      { pool: signInPool, secret: config.AUTH_SECRET, publicUrl, log, signUp, mail, secondFactorRule },
      provider,
    ),
    countAttempt: createSignInLimit(redis),
    ...createSignInAttempts(redis),
    countSend: createSendLimit(redis),
    countChange: createChangeLimit(redis),
    rateLimiter: createRateLimiter(redis, rateLimit, clock),
    signatures: createSignatures(config.AUTH_SECRET, clock),
  };
}

const noticesEveryMs = 60_000;

/** The mailer and account mail are undefined if mail isn't configured. All replicas send notices, but each notice is sent only once. */
function createMailServices(
  { config, database, redis, log, opens }: Pick<Parts, "config" | "database" | "redis" | "log" | "opens">,
  metrics: Metrics,
) {
  const { SMTP_URL: url, MAIL_FROM: from, WEB_PUBLIC_URL: publicUrl } = config;
  if (url === undefined) return { mailer: undefined, accountMail: undefined };
  const mailer = opens("flush", createMailer({ url, from }, { log, metrics }), (service, deadline) => service.close(deadline));
  const notices = opens("work", createNotices({ database, mailer, clock, publicUrl, log }), (service) => service.close());
  notices.start(noticesEveryMs);
  return { mailer, accountMail: createAccountMail({ database, redis, mailer, publicUrl, log }) };
}
