/** The whole service in this process, with real dependencies, for tests over HTTP. */

import { mkdtemp, rm } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Writable } from "node:stream";
import type pg from "pg";
import { pino } from "pino";
import { createUser } from "../../src/accounts/people/users.ts";
import { setPlan } from "../../src/accounts/usage/plans.ts";
import type { Database } from "../../src/database/database.ts";
import { adapters } from "../../src/http/compat/adapters.ts";
import type { Timeouts } from "../../src/http/server/http-server.ts";
import { loggerOptions } from "../../src/http/server/log.ts";
import { readConfig } from "../../src/settings/read-config.ts";
import { createApp } from "../../src/start/app.ts";
import { type ClosingTimes, closeServer, closingTimes, createCloser } from "../../src/start/closer.ts";
import { openBrowsers } from "../../src/start/open-browsers.ts";
import { createServices, type Services } from "../../src/start/services.ts";
import { createApiKey } from "../accounts/accounts.ts";
import { checkAnswers } from "./answers.ts";
import { createTestDatabase } from "./database.ts";
import { describeAnswers } from "./description.ts";
import { lastFirst, type Scope } from "./scope.ts";

// biome-ignore lint/suspicious/noExplicitAny: response bodies are untyped
export type Json = any;

export interface JsonAnswer {
  status: number;
  json: Json;
  headers: Headers;
}

export interface TestService {
  origin: string;
  services: Services;
  database: Database;
  /** The pool of `database`. */
  pool: pg.Pool;
  env: Record<string, string>;
  /** The log so far, as text. */
  logged(): string;
  /** Creates an account with a key. */
  createAccount(options?: {
    plan?: string;
    quota?: number;
    rateLimit?: number;
    domains?: string[];
    targets?: string[];
  }): Promise<{ key: string; userId: string }>;
  /** `GET /v1/screenshots/take`; lists become repeated parameters. */
  take(parameters: Record<string, string | string[]>, headers?: Record<string, string>): Promise<Response>;
  /** Any other request, with the key in a header and `body` as JSON. */
  send(method: string, path: string, key: string, body?: object, headers?: Record<string, string>): Promise<JsonAnswer>;
  /** Number of screenshots charged to the account. */
  used(userId: string): Promise<number>;
  /** Stops it as SIGTERM does. */
  stop(): Promise<void>;
}

type Settings = Record<string, string>;

/**
 * Overrides, in milliseconds. `redisMs` is the limit for one command, by default more than a busy machine needs; `closing` applies to
 * `stop`.
 */
export type TestTimeouts = Partial<Timeouts> & { redisMs?: number; closing?: ClosingTimes };

/**
 * If it is still running when the test ends, `t` stops it. `settings` override defaults for tests; if it is a function, it gets the
 * settings of the test's own stores.
 */
export async function startService(
  outer: Scope,
  settings: Settings | ((own: Settings) => Settings) = {},
  timeouts: TestTimeouts = {},
): Promise<TestService> {
  const t = lastFirst(outer);
  const database = await createTestDatabase(t);
  const { host, port, user, password, database: name } = database.settings;
  const folder = await mkdtemp(join(tmpdir(), "tintype-test-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const own = {
    DATABASE_URL: `postgresql://${user}:${password || "unused"}@${host}:${port}/${name}`,
    // Test files share one Redis, but must not share sign-in limits or leases.
    REDIS_KEY_PREFIX: `${name}:`,
    STORAGE_URL: `file:${folder}`,
  };
  return await startOn(t, database, { ...own, ...(typeof settings === "function" ? settings(own) : settings) }, timeouts);
}

/** Another replica with the same stores. */
export async function startReplica(
  t: Scope,
  { database, pool, env }: TestService,
  settings: Record<string, string> = {},
): Promise<TestService> {
  return await startOn(t, { ...database, pool }, { ...env, ...settings });
}

async function startOn(
  t: Scope,
  database: Database & { pool: pg.Pool },
  settings: Settings,
  { redisMs = 10_000, closing, ...timeouts }: TestTimeouts = {},
): Promise<TestService> {
  const env: Record<string, string> = {
    NODE_ENV: "production",
    AUTH_SECRET: "a secret for tests that is long enough",
    REDIS_URL: process.env.TEST_REDIS_URL ?? "",
    STORAGE_BUCKET: "tintype",
    STORAGE_REGION: "auto",
    STORAGE_ACCESS_KEY_ID: "test",
    STORAGE_SECRET_ACCESS_KEY: "test-secret",
    PUPPETEER_EXECUTABLE_PATH: process.env.TEST_CHROMIUM ?? "",
    CHROMIUM_SANDBOX: process.env.CHROMIUM_SANDBOX ?? "true",
    RATE_LIMIT_MAX_REQUESTS: "100000",
    SIGN_UP: "open",
    MAX_CONCURRENT_SCREENSHOTS: "2",
    MAX_CONCURRENT_JOBS_PER_HOST: "200",
    JOB_PAUSE_PER_HOST_MS: "0",
    ...settings,
  };
  const lines: string[] = [];
  const log = pino(
    { ...loggerOptions, level: "debug" },
    new Writable({
      write: (chunk, _encoding, done) => {
        lines.push(String(chunk));
        done();
      },
    }),
  );
  const config = await readConfig(env);
  const { opens, closeAll } = createCloser(log, () => closing ?? closingTimes(config.SCREENSHOT_TIMEOUT));
  t.after(closeAll); // even if the start fails: an open connection would keep the process from exiting
  const browsers = opens("flush", await openBrowsers(config, process.env, log), (service) => service.close());
  const services = await createServices(config, browsers, log, opens, { redisTimeoutMs: redisMs });
  const stop = async () => {
    services.stopAdmitting();
    await closeAll();
  };
  t.after(stop);
  const app = opens("requests", await createApp(services, log, timeouts), closeServer);
  const answers = checkAnswers(app.server, () => describeAnswers(services.takeSchema), await foreignPaths());
  t.after(async () => {
    await stop();
    if (config.ROLE !== "worker") answers.assertDescribed(); // of the described paths, a worker serves only /health
  });
  await browsers.started;
  await app.listen({ host: "127.0.0.1", port: 0 });
  services.startJobs();
  const origin = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;

  let accounts = 0;
  return {
    origin,
    services,
    database,
    pool: database.pool,
    env,
    logged: () => lines.join(""),
    createAccount: async ({ plan = "enterprise", quota, rateLimit = 100_000, domains = [], targets = [] } = {}) => {
      accounts += 1;
      const email = `user-${accounts}-${Math.random().toString(36).slice(2)}@example.com`;
      const { id: userId } = await createUser(database, email);
      if (plan !== "free") await setPlan(database, userId, { planId: plan, rateLimit, quota });
      return { key: await createApiKey(database, email, { domains, targets }), userId };
    },
    take: (parameters, headers = {}) => {
      const query = new URLSearchParams(Object.entries(parameters).flatMap(([name, value]) => [value].flat().map((item) => [name, item])));
      return fetch(`${origin}/v1/screenshots/take?${query}`, { headers });
    },
    send: async (method, path, key, body, headers = {}) => {
      const content = body ? { body: JSON.stringify(body), type: { "content-type": "application/json" } } : undefined;
      const response = await fetch(`${origin}${path}`, {
        method,
        headers: { authorization: `Bearer ${key}`, ...content?.type, ...headers },
        ...(content && { body: content.body }),
      });
      const text = await response.text();
      return { status: response.status, json: text && JSON.parse(text), headers: response.headers };
    },
    used: async (userId) => {
      const charged = "select coalesce(sum(used), 0)::integer as used from usage_periods where user_id = $1";
      return (await database.pool.query(charged, [userId])).rows[0].used;
    },
    stop,
  };
}

/** Paths of other products' interfaces. */
async function foreignPaths(): Promise<RegExp[]> {
  const all = await Promise.all(Object.values(adapters).map((load) => load()));
  const paths = ["/mcp", ...all.flatMap(({ routes }) => routes.map(({ path }) => path))];
  return paths.map((path) => new RegExp(`^${path.replace(/:\w+/g, "[^/]+").replace("*", ".*")}/?$`));
}
