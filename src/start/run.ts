/**
 * Reads the settings, runs the service, and shuts it down on SIGTERM or SIGINT. Most modules are loaded only once the browser is starting.
 */

import { type Logger, pino } from "pino";
import type { LentBrowsers } from "../browser/cdp-browsers.ts";
import { loggerOptions } from "../http/server/log.ts";
import { createMetricsServer } from "../http/server/metrics-server.ts";
import type { Config } from "../settings/config.ts";
import { ConfigError, readConfig } from "../settings/read-config.ts";
import { collectorOf } from "../settings/tracing-settings.ts";
import { onAbort, withDeadline } from "../shared/deadline.ts";
import { version } from "../shared/version.ts";
import { type Closer, type ClosingTimes, closeServer, closingTimes, createCloser, type Opens } from "./closer.ts";
import type { Waiting } from "./database-start.ts";
import { createLogLines } from "./log-lines.ts";
import { openBrowsers } from "./open-browsers.ts";
import type { Services } from "./services.ts";

/** Deadlines for startup and shutdown; shorter in tests. */
export interface RunTimes extends Waiting {
  closing: (requestTimeoutMs: number) => ClosingTimes;
}

/** Runs until the process ends. If it can't start, the last log line gives the reason, and the exit code is 1. */
export async function run(env: NodeJS.ProcessEnv, { closing: times = closingTimes, ...waiting }: Partial<RunTimes> = {}): Promise<void> {
  const log = pino(loggerOptions, createLogLines());
  let config: Config | undefined;
  const closer = createCloser(log, () => times(config?.SCREENSHOT_TIMEOUT ?? 0)); // nothing is open before the settings have been read
  const closing = endOnSignals(closer, log);
  // An unhandled rejection doesn't affect other requests, but by default Node would end the process, and every account's captures with it.
  process.on("unhandledRejection", (error) => log.error({ err: error }, "a rejected promise was not handled"));
  try {
    config = await readConfig(env);
    log.level = config.LOG_LEVEL;
    await serve({ config, env, plainLog: log, opens: closer.opens, closing, waiting });
  } catch (error) {
    if (closing.aborted) return; // startup failed because the shutdown has closed its components
    await closer.closeAll();
    log.fatal(error instanceof ConfigError ? { problems: error.problems } : { err: error }, startFailure(error));
    process.exitCode = 1;
    log.flush();
    setTimeout(() => process.exit(), 5_000).unref(); // something may still keep the process alive
  }
}

interface Serving {
  config: Config;
  env: NodeJS.ProcessEnv;
  plainLog: Logger;
  opens: Opens;
  /** Aborts when the shutdown begins. */
  closing: AbortSignal;
  waiting: Waiting;
}

async function serve({ config, env, plainLog, opens, closing, waiting }: Serving): Promise<void> {
  const log = collectorOf(config) === undefined ? plainLog : await trace(config, plainLog, opens);
  const browsers = opens("flush", await openBrowsers(config, env, log), (service) => service.close());
  await browsers.spawned; // loading the rest blocks this process, which would delay the browser's start
  const { createServices } = await import("./services.ts");
  const opening = createServices(config, browsers, log, opens, { waiting });
  const [services, { createApp }] = await Promise.all([opening, import("./app.ts")]); // loads while the stores connect
  onAbort(closing, services.stopAdmitting);
  if (config.ROLE === "worker") services.startJobs(); // a worker is ready only once it takes jobs
  const app = opens("requests", await createApp(services, log), closeServer);
  const browserEndpoint = browsers.lent && opens("requests", await openBrowserEndpoint(services, browsers.lent, log), closeServer);
  const metricsServer = config.ENABLE_METRICS ? opens("requests", createMetricsServer(services), closeServer) : undefined;
  await Promise.all([browsers.started, logFirstAccountLink(services, log)]);
  await app.listen({ host: config.HOST, port: config.PORT });
  await metricsServer?.listen({ host: config.HOST, port: config.METRICS_PORT });
  await browserEndpoint?.listen({ host: config.HOST, port: config.CDP_PORT });
  closing.throwIfAborted();
  log.info({ version, port: config.PORT }, "ready");
  services.startJobs(); // a worker has already started them
}

/** @returns a child of `log` whose lines include the trace and span ids. */
async function trace(config: Config, log: Logger, opens: Opens): Promise<Logger> {
  const { startTracing } = await import("../telemetry/sdk.ts");
  const { logFields } = opens("connections", startTracing(config, log), (service, deadline) => service.close(deadline));
  return log.child({}, { formatters: { log: (line) => ({ ...logFields(), ...line }) } });
}

async function openBrowserEndpoint(services: Services, lent: LentBrowsers, log: Logger) {
  const { createBrowserEndpoint } = await import("./browser-endpoint.ts");
  return await createBrowserEndpoint(services, lent, log);
}

/** The link is a secret, but only until an account exists, and only operators can read the log. */
async function logFirstAccountLink({ database, config }: Services, log: Logger): Promise<void> {
  const { firstAccountLink } = await import("../accounts/people/sign-up.ts");
  try {
    const link = await firstAccountLink(database, config);
    if (link !== undefined) log.warn(`there is no account yet: create the first one, an administrator, at ${link}`);
  } catch (error) {
    log.warn({ err: error }, "failed to check whether an account exists");
  }
}

/** On the first SIGTERM or SIGINT, possibly during startup, closes everything and exits. @returns a signal that aborts at that point. */
function endOnSignals(closer: Closer, log: Logger): AbortSignal {
  const closing = new AbortController();
  const stop = async (signal: NodeJS.Signals) => {
    if (closing.signal.aborted) {
      log.warn({ signal }, "received a second signal: exiting immediately");
      return await exit(1, log);
    }
    log.info({ signal }, "shutting down: waiting for running captures");
    closing.abort();
    await closer.closeAll();
    log.info("shut down");
    await exit(0, log);
  };
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, stop);
  return closing.signal;
}

/** Maximum time for writing the last log lines. */
export const lastLinesMs = 2_000;

/** Exits. Writing the last log lines blocks indefinitely if nobody reads the output, in which case the process is killed. */
async function exit(code: number, log: Logger): Promise<void> {
  const written = new Promise<void>((resolve) => log.flush(() => resolve()));
  await withDeadline(written, lastLinesMs, () => process.kill(process.pid, "SIGKILL"));
  process.exit(code);
}

/** Describes a failed start for the operator. */
function startFailure(error: unknown): string {
  if (!(error instanceof Error)) return "startup failed";
  const {
    code,
    syscall,
    port,
    hostname,
    address = hostname,
  } = error as NodeJS.ErrnoException & Record<"port" | "hostname" | "address", string>;
  if (code === "EACCES" && syscall === "listen")
    return `port ${port} requires privileges: set PORT, METRICS_PORT and CDP_PORT to ports above 1023`;
  if (code === "EADDRNOTAVAIL" || (code === "ENOTFOUND" && syscall === "getaddrinfo" && hostname !== undefined))
    return `HOST is ${JSON.stringify(address)}, which is not an address of this machine: set it to one that is, or to 0.0.0.0`;
  if (code === "EADDRINUSE")
    return `port ${port} is already in use: stop the other process, or set PORT, METRICS_PORT or CDP_PORT to a free port`;
  return error.message;
}
