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
import { createAttemptLimit } from "./accounts/usage/attempt-limit.ts";
import { createBrowserMinutes } from "./accounts/usage/browser-minutes.ts";
import { createUsage } from "./accounts/usage/counts.ts";
import { createQuota } from "./accounts/usage/quota.ts";
import { createRateLimiter } from "./accounts/usage/rate-limit.ts";
import { createRecordRefusedTarget } from "./accounts/usage/refused-target.ts";
import { createQuotaSweep } from "./accounts/usage/sweep.ts";
import type { Browsers } from "./browsers.ts";
import { systemClock as clock } from "./clock.ts";
import { createCloser, type Opens } from "./closer.ts";
import type { Config } from "./config.ts";
import { createDatabase, createPool } from "./database.ts";
import { databaseSettingsOf } from "./database-settings.ts";
import { migrateWhenReachable } from "./database-start.ts";
import { createHealth } from "./health.ts";
import { createImageStore } from "./images/create-store.ts";
import { createJobs, type Jobs } from "./jobs/queue.ts";
import { createMailServices } from "./mail-services.ts";
import { createOnlineChanges } from "./online-changes-loop.ts";
import { commaList } from "./read-config.ts";
import { createRedis, redisSettingsOf } from "./redis.ts";
import { createScreenshotServices } from "./screenshot-services.ts";
import { createWatchServices } from "./watch-services.ts";
import { createWebhookServices } from "./webhook-services.ts";

export type Services = Awaited<ReturnType<typeof createServices>>;

const sweepEveryMs = 30_000;
const billingEveryMs = 15_000;
const cleanUpEveryMs = 10 * 60_000;
const redisReadyTimeoutMs = 2_000;
const jobsTimeoutMs = 30_000;
/** Webhooks that an account has sent by hand, test events and others: each is a request to any address. */
const webhooksOnRequest = { attempts: 30, seconds: 60 };

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
    const jobs = createJobs(stores.databaseSettings, log);
    const onlineChanges = opened.opens(createOnlineChanges(stores.databaseSettings, log), (service) => service.close());
    const { metrics } = browsers;
    const webhooks = createWebhookServices(
      config,
      { database: stores.database, jobs, connections: browsers, log, metrics },
      config.ROLE !== "api",
    );
    const screenshots = createScreenshotServices({ ...context, ...stores, ...accounts, jobs, emit: webhooks.emit });
    const watching = createWatchServices({ ...context, ...stores, ...screenshots, jobs, emit: webhooks.emit });
    opened.opens(jobs, (service) => service.close(jobsTimeoutMs)); // closed first: what they capture has to be stored
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
      webhooks,
      health: createHealthReport(config, browsers, stores, jobs),
      queuedCaptures: () => countQueued(stores.pool),
      /** Once requests are answered: loading and connecting the queue would delay that, and those who send a job wait for it. */
      startJobs: () => {
        jobs.start();
        onlineChanges.start();
      },
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
    browserMinutes: createBrowserMinutes(database, clock),
    quota: createQuota({ database, clock, metrics }),
    recordRefusedTarget: createRecordRefusedTarget(database, clock, config.SCREENSHOT_RETENTION_DAYS),
    mailer,
    signIn: createSignIn(
      database,
      { pool: signInPool, secret: config.AUTH_SECRET, publicUrl, log, signUp, mail, secondFactorRule },
      provider,
    ),
    countTry: createSignInLimit(redis),
    countSend: createAttemptLimit(redis, "webhooks:sent", webhooksOnRequest),
    rateLimiter: createRateLimiter(redis, rateLimit, clock),
    signatures: createSignatures(config.AUTH_SECRET, clock),
  };
}

function createHealthReport({ ROLE }: Config, { slots }: Browsers, { pool, redis, store }: Stores, jobs: Jobs) {
  const browser = {
    name: "browser" as const,
    vital: true,
    run: async (signal: AbortSignal) => {
      await slots.check(signal);
      return slots.state();
    },
  };
  const queue = {
    name: "queue" as const,
    vital: true,
    run: async () => {
      if (!jobs.isUsable()) throw Object.assign(new Error("the job queue can't start"), { code: "NOT_STARTED" });
      return { waiting: await countQueued(pool) };
    },
  };
  return createHealth([
    { name: "database", vital: true, run: async () => void (await pool.query("select 1")) },
    { name: "cache", vital: false, run: async () => void (await redis.ping()) },
    { name: "storage", vital: false, run: async (signal) => void (await store.check(signal)) },
    queue,
    ...(ROLE === "api" ? [] : [browser]),
  ]);
}

/** More than these are not counted. */
async function countQueued(pool: Stores["pool"]): Promise<number> {
  const { rows } = await pool.query<{ found: number }>(
    "select count(*)::integer as found from (select 1 from captures where status = 'queued' limit 10000) queued",
  );
  return rows[0]?.found ?? 0;
}
