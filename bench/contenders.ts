/** Everybody who takes part, and how each is started in a process of its own. */

import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { root } from "../scripts/stack/folders.ts";
import { migrate, newKey } from "../scripts/stack/keys.ts";
import { freePort } from "../scripts/stack/ports.ts";
import { startServer } from "../scripts/stack/server.ts";
import { startService } from "../scripts/stack/service.ts";
import { chromiumSettings, type Stack } from "../scripts/stack/stack.ts";
import { childrenNamed } from "./measure/process-tree.ts";

export interface RunningContender {
  name: string;
  pid: number;
  origin: string;
  /** Parts of every request. */
  query: Record<string, string>;
  headers: Record<string, string>;
  /** Processes that work for it elsewhere. */
  stores: number[];
  /** From its start to its first ready answer. */
  readyMs: number;
  stop(): Promise<void>;
}

export interface Place {
  stack: Stack;
  /** For logs and stored pictures; gone after the run. */
  folder: string;
  /** For pictures that people may look at. */
  pictures: string;
  /** Hosts with ports that may be captured. */
  siteHosts: string[];
  signal: AbortSignal;
}

/** What is started, in the order of the tables. `raw` is what all are compared with. */
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

/** Starts everybody; Tintype appears twice, by its two ways to wait. */
export async function startAll(place: Place): Promise<AsyncDisposable & { contenders: RunningContender[] }> {
  await using parts = new AsyncDisposableStack();
  const contenders: RunningContender[] = [];
  for (const name of programs) {
    const running = await start(name, place);
    parts.defer(() => running.stop());
    contenders.push(running);
    if (name === "tintype") contenders.push({ ...running, name: "tintype-load", query: { ...running.query, wait_until: "load" } });
  }
  const started = parts.move();
  return { contenders, [Symbol.asyncDispose]: () => started.disposeAsync() };
}

export function start(name: string, place: Place): Promise<RunningContender> {
  return name === "tintype" ? startTintype(place) : startProgram(name, place);
}

/** Made before the first start, so that no start has time to warm up meanwhile. */
let key: Promise<string> | undefined;

/** @param settings of the service, on top of its defaults. */
export async function startTintype(place: Place, settings: Record<string, string> = {}): Promise<RunningContender> {
  const { stack, folder, siteHosts, signal } = place;
  const env = {
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
    EGRESS_ALLOWED_HOSTS: siteHosts.join(","),
    ...chromiumSettings(stack.chromium),
    ...settings,
  };
  await migrate(env, signal);
  key ??= newKey(account, env, signal);
  const query = { api_key: await key };
  const { url, pid, readyMs, stop } = await startService({ env, logFile: join(folder, `tintype-${env.PORT}.log`) }, signal);
  const stores = childrenNamed(["postgres", "redis-server", "valkey-server"]);
  return { name: "tintype", pid, origin: url, query, headers: { origin }, stores, readyMs, stop };
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
