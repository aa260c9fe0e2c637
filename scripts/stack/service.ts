/** Runs the service as a child, with settings from its environment alone. */

import { join } from "node:path";
import { root } from "./folders.ts";
import { type RunningServer, startServer } from "./server.ts";

export interface RunningService extends RunningServer {
  /** `http://127.0.0.1:3000` */
  url: string;
}

/**
 * Starts the service and waits until it is ready for requests. `stop` lets running captures end.
 * @throws {Error} with its last words when it ends first or takes longer than a minute.
 */
export async function startService(
  { env, logFile }: { env: Record<string, string | undefined>; logFile: string },
  signal: AbortSignal,
): Promise<RunningService> {
  const url = `http://127.0.0.1:${env.PORT}`;
  const command = [process.execPath, join(root, "src/server.ts")];
  const options = { name: "The service", command, cwd: root, env, logFile, readyAt: `${url}/health/ready`, graceMs: 40_000 };
  return { url, ...(await startServer(options, signal)) };
}
