/** Reads the settings, serves, and shuts down on SIGTERM. Modules are loaded when they are needed: the browser starts meanwhile. */

import { type Logger, pino } from "pino";
import type { LentBrowsers } from "./browser/lent.ts";
import type { Config } from "./config.ts";
import { withDeadline } from "./deadline.ts";
import { loggerOptions } from "./http/log.ts";
import { createMetricsServer } from "./http/metrics-server.ts";
import { openBrowsers } from "./open-browsers.ts";
import { ConfigError, readConfig } from "./read-config.ts";
import type { Services } from "./services.ts";
import { collectorOf } from "./tracing-settings.ts";
import { version } from "./version.ts";

/** Runs until the process ends. If it can't start, the last log line says why, and the exit code is 1. */
export async function run(env: NodeJS.ProcessEnv): Promise<void> {
  // Lines are written in batches, off the requests' path; the rest is written at the exit.
  const log = pino(loggerOptions, pino.destination({ sync: false, minLength: 8192, periodicFlush: 100 }));
  const parts = new AsyncDisposableStack();
  const stopping = endOnSignals(parts, log);
  try {
    const config = await readConfig(env);
    log.level = config.LOG_LEVEL;
    await serve(config, env, log, parts, stopping);
  } catch (error) {
    if (stopping.aborted) return; // parts that were closed meanwhile can't start
    await parts.disposeAsync();
    log.fatal(error instanceof ConfigError ? { problems: error.problems } : { err: error }, startFailure(error));
    process.exitCode = 1;
    log.flush();
    setTimeout(() => process.exit(), 5_000).unref(); // something may still be open
  }
}

/** @param parts what is opened is added to it. Throws once it is closed. */
async function serve(
  config: Config,
  env: NodeJS.ProcessEnv,
  plainLog: Logger,
  parts: AsyncDisposableStack,
  stopping: AbortSignal,
): Promise<void> {
  const opens = <T extends { close(): PromiseLike<unknown> }>(part: T): T => {
    const onError = (error: unknown) => plainLog.warn({ err: error }, "failed to close a component");
    parts.defer(() => part.close().then(() => {}, onError));
    return part;
  };

  const log = collectorOf(config) === undefined ? plainLog : await trace(config, plainLog, opens);
  const browsers = opens(await openBrowsers(config, env, log));
  await browsers.spawned; // loading the rest keeps this process busy, but not the browser
  const { createServices } = await import("./services.ts");
  const opening = createServices(config, browsers, log).then(opens);
  const [services, { createApp }] = await Promise.all([opening, import("./app.ts")]); // loads while the stores are connected
  stopping.addEventListener("abort", services.stopAdmitting);
  if (config.ROLE === "worker") services.startJobs(); // it is ready when it takes them
  const app = opens(await createApp(services, log));
  const browserEndpoint = browsers.lent && opens(await openBrowserEndpoint(services, browsers.lent, log));
  const metricsServer = config.ENABLE_METRICS ? opens(createMetricsServer(services)) : undefined;
  await Promise.all([browsers.started, logFirstAccountLink(services, log)]);
  await app.listen({ host: config.HOST, port: config.PORT });
  await metricsServer?.listen({ host: config.HOST, port: config.METRICS_PORT });
  await browserEndpoint?.listen({ host: config.HOST, port: config.CDP_PORT });
  stopping.throwIfAborted();
  log.info({ version, port: config.PORT }, "ready");
  services.startJobs(); // unless they have been started
}

/** @returns `log`, whose lines now name their trace. */
async function trace(config: Config, log: Logger, opens: <T extends { close(): Promise<void> }>(part: T) => T): Promise<Logger> {
  const { startTracing } = await import("./tracing-sdk.ts");
  const { logFields } = opens(startTracing(config, log));
  return log.child({}, { formatters: { log: (line) => ({ ...logFields(), ...line }) } });
}

async function openBrowserEndpoint(services: Services, lent: LentBrowsers, log: Logger) {
  const { createBrowserEndpoint } = await import("./browser-endpoint.ts");
  return await createBrowserEndpoint(services, lent, log);
}

/** The link is a secret, but only until an account exists, and only operators can read the log. */
async function logFirstAccountLink({ database, config }: Services, log: Logger): Promise<void> {
  const { firstAccountLink } = await import("./accounts/people/first-account.ts");
  try {
    const link = await firstAccountLink(database, config);
    if (link !== undefined) log.warn(`there is no account yet: create the first one, an administrator, at ${link}`);
  } catch (error) {
    log.warn({ err: error }, "failed to look for accounts");
  }
}

/** On the first SIGTERM or SIGINT, which may arrive during the start, closes `parts` and exits. @returns aborts at that signal. */
function endOnSignals(parts: AsyncDisposableStack, log: Logger): AbortSignal {
  const stopping = new AbortController();
  const stop = async (signal: NodeJS.Signals) => {
    if (stopping.signal.aborted) {
      log.warn({ signal }, "received a second signal: exiting immediately");
      return await exit(1, log);
    }
    log.info({ signal }, "shutting down: waiting for running captures");
    stopping.abort();
    await parts.disposeAsync();
    log.info("shut down");
    await exit(0, log);
  };
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, stop);
  return stopping.signal;
}

const lastLinesMs = 2_000;

/** Ends the process. Unread output would block its exit indefinitely, so the process is killed if its last lines can't be written. */
async function exit(code: number, log: Logger): Promise<void> {
  const written = new Promise<void>((resolve) => log.flush(() => resolve()));
  await withDeadline(written, lastLinesMs, () => process.kill(process.pid, "SIGKILL"));
  process.exit(code);
}

/** A message for the operator. */
function startFailure(error: unknown): string {
  if (!(error instanceof Error)) return "the start failed";
  const {
    code,
    syscall,
    port,
    hostname,
    address = hostname,
  } = error as NodeJS.ErrnoException & Record<"port" | "hostname" | "address", string>;
  if (code === "EACCES" && syscall === "listen")
    return `port ${port} needs a privilege: set PORT, METRICS_PORT and CDP_PORT to ports above 1023`;
  if (code === "EADDRNOTAVAIL" || (code === "ENOTFOUND" && syscall === "getaddrinfo" && hostname !== undefined))
    return `HOST is ${JSON.stringify(address)}, which is no address of this machine: set it to 0.0.0.0, or to one that it has`;
  if (code === "EADDRINUSE")
    return `port ${port} is already in use: stop the other process, or set PORT, METRICS_PORT or CDP_PORT to a free port`;
  return error.message;
}
