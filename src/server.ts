/** The production entry: reads the settings from the environment, serves, and ends in order on SIGTERM. */

import { type Logger, pino } from "pino";
import { createApp } from "./app.ts";
import type { Config } from "./config.ts";
import { createMetricsServer } from "./http/metrics-server.ts";
import { loggerOptions } from "./http/request-log.ts";
import { ConfigError, readConfig } from "./read-config.ts";
import { createServices } from "./services.ts";
import { version } from "./version.ts";

// Lines of one moment go in one write, beside the requests; what is left is written at the exit.
const log = pino(loggerOptions, pino.destination({ sync: false, minLength: 8192, periodicFlush: 100 }));

try {
  const config = await readConfig(process.env);
  log.level = config.LOG_LEVEL;
  await serve(config, log);
} catch (error) {
  log.fatal(error instanceof ConfigError ? { problems: error.problems } : { err: error }, startFailure(error));
  process.exitCode = 1;
  log.flush();
  setTimeout(() => process.exit(), 5_000).unref(); // something that was opened is still open
}

async function serve(config: Config, log: Logger): Promise<void> {
  const services = await createServices(config, process.env, log);
  const app = await createApp(services, log);
  const metricsServer = config.ENABLE_METRICS ? createMetricsServer(services.metrics, services.slots) : undefined;
  try {
    await app.listen({ host: config.HOST, port: config.PORT });
    await metricsServer?.listen({ host: config.HOST, port: config.METRICS_PORT });
  } catch (error) {
    await Promise.allSettled([app.close(), metricsServer?.close()]);
    await services.close();
    throw error;
  }
  log.info({ version, port: config.PORT }, "ready");

  let stopping = false;
  const stop = async (signal: NodeJS.Signals) => {
    if (stopping) {
      log.warn({ signal }, "told a second time to end: ending at once");
      process.exit(1);
    }
    stopping = true;
    log.info({ signal }, "ending: captures under way are finished first");
    services.stopAdmitting();
    await app.close();
    await services.close();
    await metricsServer?.close();
    log.info("ended");
    process.exit(0);
  };
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, stop);
}

/** For the operator: what to change. */
function startFailure(error: unknown): string {
  if (!(error instanceof Error)) return "the start failed";
  const { code, port } = error as NodeJS.ErrnoException & { port?: number };
  if (code === "EADDRINUSE")
    return `address in use: another process listens on port ${port}; stop it or set PORT or METRICS_PORT to a free one`;
  return error.message;
}
