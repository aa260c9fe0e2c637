/** The contenders, each started in its own process. */

import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import pg from "pg";
import { root } from "../scripts/stack/folders.ts";
import * as ownAccounts from "../scripts/stack/keys.ts";
import { freePort } from "../scripts/stack/ports.ts";
import { startStandIn } from "../scripts/stack/redis.ts";
import { startServer } from "../scripts/stack/server.ts";
import { startService } from "../scripts/stack/service.ts";
import { chromiumSettings, type Stack } from "../scripts/stack/stack.ts";
import { childrenNamed } from "./measure/process-tree.ts";

export interface RunningContender {
  name: string;
  pid: number;
  origin: string;
  /** Parameters of every request. */
  query: Record<string, string>;
  headers: Record<string, string>;
  /** Pids of its database and Redis. */
  stores: number[];
  /** Time from its start until it was ready. */
  readyMs: number;
  stop(): Promise<void>;
}

export interface Place {
  stack: Stack;
  /** For logs and stored images; removed after the run. */
  folder: string;
  /** For images to inspect. */
  pictures: string;
  /** Hosts with ports that may be captured. */
  siteHosts: string[];
  signal: AbortSignal;
  /** Another checkout of Tintype, with its packages installed, that is measured alongside this one. */
  against?: string | undefined;
  /** Contenders besides `raw` and `tintype`, which always are; all if undefined. */
  chosen?: readonly string[];
}

/** Contenders in the order of the tables. `raw` is the baseline. */
export const programs = [
  "raw",
  "raw-reuse",
  "tintype",
  "playwright",
  "puppeteer-cluster",
  "fastify-puppeteer",
  "browserless",
  "capture-website",
];

const origin = "https://bench.example";
export const account = {
  email: "bench@example.com",
  plan: ["enterprise", "--rate-limit", "1000000000", "--quota", "1000000000"],
  key: ["--domain", origin],
};

/** Starts all contenders; Tintype appears twice, with two values of `wait_until`. */
export async function startAll(place: Place): Promise<AsyncDisposable & { contenders: RunningContender[] }> {
  await using parts = new AsyncDisposableStack();
  const contenders: RunningContender[] = [];
  const add = (running: RunningContender) => {
    parts.defer(() => running.stop());
    contenders.push(running);
    const { name, query } = running;
    if (name === "tintype" || name === "against")
      contenders.push({ ...running, name: `${name}-load`, query: { ...query, wait_until: "load" } });
  };
  const chosen = place.chosen ?? programs;
  for (const name of programs) {
    if (name !== "raw" && name !== "tintype" && !chosen.includes(name)) continue;
    add(await start(name, place));
    if (name === "tintype" && place.against) add(await start("against", place));
  }
  const started = parts.move();
  return { contenders, [Symbol.asyncDispose]: () => started.disposeAsync() };
}

/** The contenders of a section, in the order of its table; `against` follows `tintype` if another checkout is measured too. */
export const namesWithAgainst = (names: readonly string[], { against }: Pick<Place, "against">): string[] =>
  names.flatMap((name) => (name === "tintype" && against ? [name, "against"] : [name]));

export function start(name: string, place: Place): Promise<RunningContender> {
  if (name === "tintype") return startTintype(place);
  return name === "against" ? startAgainst(place) : startProgram(name, place);
}

/** Keys by checkout. Created before the first start, so that no contender can warm up in the meantime. */
const keys = new Map<string, Promise<string>>();

/** The service of the other checkout, with a database and a Redis database of its own, since both may be arranged differently there. */
async function startAgainst(place: Place): Promise<RunningContender> {
  const checkout = place.against ?? root;
  const { databaseUrl, redisUrl } = place.stack;
  const database = await otherDatabase(String(databaseUrl));
  const redis = new URL(String(redisUrl));
  redis.pathname = "/1";
  const settings = { DATABASE_URL: database, REDIS_URL: redis.href, STORAGE_BUCKET: "against" };
  return { ...(await startTintype(place, settings, checkout)), name: "against" };
}

/** The database `against` beside the one of `url`; created if there is none. */
async function otherDatabase(url: string): Promise<string> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    const { rowCount } = await client.query("SELECT FROM pg_database WHERE datname = 'against'");
    if (rowCount === 0) await client.query("CREATE DATABASE against");
  } finally {
    await client.end();
  }
  const other = new URL(url);
  other.pathname = "/against";
  return other.href;
}

/**
 * @param settings settings of the service, overriding the benchmark's. @param checkout checkout whose service is started, and whose
 * own commands create its schema and its account; by default this one.
 */
export async function startTintype(place: Place, settings: Record<string, string> = {}, checkout = root): Promise<RunningContender> {
  const { folder, signal } = place;
  const env = { ...(await settingsOf(place)), ...settings };
  const accounts = checkout === root ? ownAccounts : await accountsOf(checkout);
  await accounts.migrate(env, signal);
  const key = keys.get(checkout) ?? accounts.newKey(account, env, signal);
  keys.set(checkout, key);
  const query = { api_key: await key };
  const { url, pid, readyMs, stop } = await startService({ env, logFile: join(folder, `tintype-${env.PORT}.log`), checkout }, signal);
  const stores = childrenNamed(["postgres", "redis-server", "valkey-server"]);
  return { name: "tintype", pid, origin: url, query, headers: { origin }, stores, readyMs, stop };
}

async function accountsOf(checkout: string): Promise<typeof ownAccounts> {
  return await import(pathToFileURL(join(checkout, "scripts/stack/keys.ts")).href);
}

/** The service as `npm run local` runs it where no Redis is installed: with the in-memory substitute, which is in this process. */
export async function startEmbedded(place: Place): Promise<RunningContender> {
  const standIn = await startStandIn(place.signal);
  const running = await startTintype(place, { REDIS_URL: standIn.url }).catch(async (error) => {
    await standIn.stop();
    throw error;
  });
  const stop = async () => {
    await running.stop();
    await standIn.stop();
  };
  return { ...running, name: "embedded", stores: [process.pid], stop };
}

/** The same service, called by another account without quota and rate limit, with a key that isn't restricted to a domain. */
export async function asOtherAccount(running: RunningContender, place: Place, email = "other@example.com"): Promise<RunningContender> {
  const other = await ownAccounts.newKey({ ...account, email, key: [] }, await settingsOf(place), place.signal);
  return { ...running, query: { api_key: other } };
}

async function settingsOf({ stack, folder, siteHosts }: Place) {
  return {
    PATH: process.env.PATH,
    HOME: process.env.HOME,
    NODE_ENV: "production",
    HOST: "127.0.0.1",
    PORT: String(await freePort()),
    METRICS_PORT: String(await freePort()),
    AUTH_SECRET: randomBytes(32).toString("hex"),
    DATABASE_URL: stack.databaseUrl,
    REDIS_URL: stack.redisUrl,
    STORAGE_URL: pathToFileURL(join(folder, "images")).href,
    STORAGE_BUCKET: "tintype",
    STORAGE_REGION: "auto",
    STORAGE_ACCESS_KEY_ID: "bench",
    STORAGE_SECRET_ACCESS_KEY: "bench",
    MAX_CONCURRENT_SCREENSHOTS: "4",
    MAX_CONCURRENT_JOBS_PER_HOST: "200", // all pages have the same host
    JOB_PAUSE_PER_HOST_MS: "0",
    EGRESS_ALLOWED_HOSTS: siteHosts.join(","),
    ...chromiumSettings(stack.chromium),
  };
}

/** Starts `contenders/<name>.ts`. */
export async function startProgram(
  name: string,
  { stack, folder, signal }: Place,
  settings: Record<string, string> = {},
): Promise<RunningContender> {
  const port = await freePort();
  const address = `http://127.0.0.1:${port}`;
  const program = {
    name,
    command: [process.execPath, join(root, "bench/contenders", `${name}.ts`)],
    cwd: root,
    env: { ...process.env, NODE_ENV: "production", ...chromiumSettings(stack.chromium), PORT: String(port), ...settings },
    logFile: join(folder, `${name}-${port}.log`),
    readyAt: `${address}/health/ready`,
    graceMs: 5_000,
  };
  const { pid, readyMs, stop } = await startServer(program, signal);
  return { name, pid, origin: address, query: {}, headers: {}, stores: [], readyMs, stop };
}
