/** Runs the service as a child process, with settings from `env` only. */

import { join } from "node:path";
import { root } from "./folders.ts";
import { type RunningServer, startServer } from "./server.ts";

export interface RunningService extends RunningServer {
  /** `http://127.0.0.1:3000` */
  url: string;
}

/**
 * Starts the service from `checkout`, by default this one, and waits until it is ready. `stop` lets running captures finish.
 * @throws {Error} with the end of its log if it exits or is not ready within a minute.
 */
export async function startService(
  { env, logFile, checkout = root }: { env: Record<string, string | undefined>; logFile: string; checkout?: string },
  signal: AbortSignal,
): Promise<RunningService> {
  const url = `http://127.0.0.1:${env.PORT}`;
  const command = [process.execPath, join(checkout, "src/server.js")];
  const options = { name: "The service", command, cwd: checkout, env, logFile, readyAt: `${url}/health/ready`, graceMs: 40_000 };
  return { url, ...(await startServer(options, signal)) };
}
