/** `npm run local`: the whole service on this machine, until Ctrl-C; with `--once URL FILE`, for one picture. */

import { randomBytes } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { pathToFileURL } from "node:url";
import { localFolder, root, throwAwayFolder } from "./stack/folders.ts";
import { interruption } from "./stack/interrupt.ts";
import { demoAccount, keyOf, migrate, passwordOf, unlimitedAccount } from "./stack/keys.ts";
import { freePort, isFree } from "./stack/ports.ts";
import { type RunningService, startService } from "./stack/service.ts";
import { claim } from "./stack/single-run.ts";
import { chromiumSettings, startStack } from "./stack/stack.ts";
import { builtWeb, type RunningWeb, startWeb } from "./stack/web.ts";

type Environment = Record<string, string | undefined>;

const signal = interruption();
let code: number;
try {
  code = await main(process.argv.slice(2));
} catch (error) {
  if (!signal.aborted) console.error(error instanceof Error ? error.message : error);
  code = signal.aborted ? 130 : 1;
}
process.exit(code);

async function main(args: string[]): Promise<number> {
  const [flag, url, file, ...rest] = args;
  if (flag === undefined) return serve();
  if (flag === "--once" && url !== undefined && file !== undefined && rest.length === 0) return captureOnce(url, file);
  throw new Error("Usage: npm run local [-- --once URL FILE]");
}

/** Serves until it is told to stop, with data that the next run finds again. */
async function serve(): Promise<number> {
  const since = performance.now();
  await using _claim = await claim(join(localFolder, "run.pid"));
  const port = await servicePort();
  const webPort = await freePortFrom(Number(process.env.WEB_PORT || 3001), port);
  const building = builtWeb(signal, () => console.log("Building the dashboard ...")).catch((error: Error) => error);
  const env = {
    ENABLE_METRICS: "true",
    METRICS_PORT: String(await metricsPort()),
    WEB_PUBLIC_URL: `http://localhost:${webPort}`,
    TRUST_PROXY: "127.0.0.1",
    ...settings(),
    PORT: String(port),
  };
  await using running = await start(localFolder, false, env);
  const { service } = running;
  const context = { folder: localFolder, url: service.url, env: running.env };
  const key = await keyOf(demoAccount, context, signal);
  await keyOf(unlimitedAccount, context, signal);
  const password = await passwordOf(demoAccount, context, signal);
  await using web = await startBuiltWeb(await building, { ...env, WEB_PORT: String(webPort), WEB_SERVER_URL: service.url });
  console.log(
    [
      `ready after ${((performance.now() - since) / 1000).toFixed(1)} s: ${service.url}`,
      "",
      `  curl -o picture.jpg '${service.url}/v1/screenshots/take?api_key=${key}&url=https://example.com'`,
      "",
      ...(web.url === undefined ? [] : [`  Dashboard: ${web.url}, as ${demoAccount.email} with the password ${password}`]),
      `  The key is in .local/api-key, the log in ${relative(root, running.logFile)}. Ctrl-C stops everything.`,
    ].join("\n"),
  );
  const stopped = new Promise<undefined>((resolve) => signal.addEventListener("abort", () => resolve(undefined), { once: true }));
  const words = await Promise.race([service.ended, web.ended, stopped]);
  if (words === undefined) return 0;
  console.error(words);
  return 1;
}

/** The dashboard on the built pages; without them, which the API can do, what is wrong is said. */
async function startBuiltWeb(
  built: string | Error,
  env: Environment,
): Promise<AsyncDisposable & Partial<Pick<RunningWeb, "url" | "ended">>> {
  if (typeof built !== "string") {
    signal.throwIfAborted();
    console.error(`There is no dashboard, because it could not be built. ${built.message}`);
    return { [Symbol.asyncDispose]: async () => {}, ended: new Promise(() => {}) };
  }
  const webEnv = { WEB_HOST: "127.0.0.1", API_PUBLIC_URL: env.WEB_SERVER_URL, ...env };
  const { url, ended, stop } = await startWeb(built, { env: webEnv, logFile: join(localFolder, "web.log") }, signal);
  return { url, ended, [Symbol.asyncDispose]: stop };
}

/** One picture, by a service of its own that is gone afterwards. */
async function captureOnce(url: string, file: string): Promise<number> {
  await using folder = await throwAwayFolder();
  const env = { ENABLE_METRICS: "false", ...settings(), PORT: String(await freePort()) };
  await using running = await start(folder.path, true, env);
  const key = await keyOf(demoAccount, { folder: folder.path, url: running.service.url, env: running.env }, signal);
  const format = /\.(png|webp)$/i.exec(file)?.[1]?.toLowerCase() ?? "jpeg";
  const query = new URLSearchParams({ api_key: key, url, format });
  const response = await fetch(`${running.service.url}/v1/screenshots/take?${query}`, {
    signal: AbortSignal.any([signal, AbortSignal.timeout(120_000)]),
  });
  const body = Buffer.from(await response.arrayBuffer());
  if (response.status !== 200) {
    console.error(`${response.status}: ${errorWords(body.toString())}`);
    if (response.status >= 500) console.error(await logEnd(running.logFile));
    return 1;
  }
  await writeFile(file, body);
  console.log(`${file}: ${body.length} bytes, ${response.headers.get("content-type")}`);
  return 0;
}

function errorWords(body: string): string {
  try {
    const { error, details } = JSON.parse(body) as { error: string; details?: { parameter: string; message: string }[] };
    return [error, ...(details ?? []).map(({ parameter, message }) => `${parameter}: ${message}`)].join("\n");
  } catch {
    return body;
  }
}

/** What is wrong on our side is in the log, which goes with the service's folder. */
async function logEnd(logFile: string): Promise<string> {
  return (await readFile(logFile, "utf8")).trim().split("\n").slice(-10).join("\n");
}

/** Starts the parts that the environment doesn't name, and the service with them. */
async function start(
  folder: string,
  throwAway: boolean,
  base: Environment,
): Promise<AsyncDisposable & { service: RunningService; env: Environment; logFile: string }> {
  await using parts = new AsyncDisposableStack();
  const stack = parts.use(
    await startStack(
      {
        postgres: !base.DATABASE_URL && !base.DATABASE_HOST,
        redis: !base.REDIS_URL && !base.REDIS_HOST,
        chromium: {
          configuredPath: base.PUPPETEER_EXECUTABLE_PATH ?? "",
          sandbox: base.CHROMIUM_SANDBOX ? base.CHROMIUM_SANDBOX !== "false" : "auto",
        },
        folder,
        throwAway,
      },
      (words) => console.log(words),
      signal,
    ),
  );
  const env: Environment = {
    ...storage(folder),
    AUTH_SECRET: base.AUTH_SECRET || (await secretIn(folder)),
    ...base,
    ...(stack.databaseUrl === undefined ? {} : { DATABASE_URL: stack.databaseUrl }),
    ...(stack.redisUrl === undefined ? {} : { REDIS_URL: stack.redisUrl }),
    ...chromiumSettings(stack.chromium),
  };
  await migrate(env, signal);
  const logFile = join(folder, "service.log");
  const service = await startService({ env, logFile }, signal);
  parts.defer(() => service.stop());
  const started = parts.move();
  return { service, env, logFile, [Symbol.asyncDispose]: () => started.disposeAsync() };
}

/** What the service gets from our environment; an empty value counts as absent. */
function settings(): Environment {
  const given = Object.fromEntries(Object.entries(process.env).filter(([, value]) => value !== ""));
  return { HOST: "127.0.0.1", ...given, NODE_ENV: given.NODE_ENV === "production" ? "production" : "development" };
}

/** Pictures lie in a folder unless the environment names a storage; a folder needs no credentials. */
function storage(folder: string): Environment {
  return {
    STORAGE_URL: pathToFileURL(join(folder, "images")).href,
    STORAGE_BUCKET: "tintype",
    STORAGE_REGION: "auto",
    STORAGE_ACCESS_KEY_ID: "local",
    STORAGE_SECRET_ACCESS_KEY: "local",
  };
}

async function secretIn(folder: string): Promise<string> {
  const file = join(folder, "auth-secret");
  const kept = await readFile(file, "utf8").catch(() => "");
  if (kept !== "") return kept;
  const secret = randomBytes(32).toString("hex");
  await mkdir(folder, { recursive: true });
  await writeFile(file, secret, { mode: 0o600 });
  return secret;
}

async function servicePort(): Promise<number> {
  const port = Number(process.env.PORT || 3000);
  if (!Number.isInteger(port) || port < 1 || port > 65535)
    throw new Error(`PORT is ${JSON.stringify(process.env.PORT)}; valid is an integer from 1 to 65535.`);
  if (await isFree(port)) return port;
  throw new Error(`Port ${port} is in use. Choose another: PORT=${port + 1} npm run local`);
}

/** `first`, or the next one that nobody has and the service doesn't want. */
async function freePortFrom(first: number, taken: number): Promise<number> {
  for (let port = first; port <= 65_535; port++) if (port !== taken && (await isFree(port))) return port;
  throw new Error(`There is no free port from ${first} on: set WEB_PORT.`);
}

/** The usual one, or any where another program has that. */
async function metricsPort(): Promise<number> {
  return (await isFree(9090)) ? 9090 : freePort();
}
