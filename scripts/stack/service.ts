/** Runs the service as a child, with settings from its environment alone. */

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { startChild } from "./child.ts";
import { root } from "./folders.ts";

export interface RunningService {
  pid: number;
  /** `http://127.0.0.1:3000` */
  url: string;
  /** Resolves with its last words when it ends, also by itself. */
  ended: Promise<string>;
  /** Lets running captures end. */
  stop(): Promise<void>;
}

/**
 * Starts the service and waits until it is ready for requests.
 * @throws {Error} with its last words when it ends first or takes longer than a minute.
 */
export async function startService(
  { env, logFile }: { env: Record<string, string | undefined>; logFile: string },
  signal: AbortSignal,
): Promise<RunningService> {
  const url = `http://127.0.0.1:${env.PORT}`;
  const service = startChild([process.execPath, join(root, "src/server.ts")], { cwd: root, env, logFile });
  const lastWords = async () => (await readFile(logFile, "utf8")).trim().split("\n").slice(-15).join("\n");
  const ended = service.ended.then(async (how) => `The service ended (${how}):\n${await lastWords()}`);
  const stop = () => service.stop("SIGTERM", 40_000);
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(60_000)]);
  try {
    while (!(await isReady(url, deadline))) {
      if (!service.running()) throw new Error(await ended);
      signal.throwIfAborted();
      if (deadline.aborted) throw new Error(`The service was not ready after a minute:\n${await lastWords()}`);
      await pause(50);
    }
  } catch (error) {
    await stop();
    throw error;
  }
  return { pid: service.pid, url, ended, stop };
}

async function isReady(url: string, signal: AbortSignal): Promise<boolean> {
  try {
    const response = await fetch(`${url}/health/ready`, { signal: AbortSignal.any([signal, AbortSignal.timeout(5_000)]) });
    await response.body?.cancel();
    return response.status === 200;
  } catch {
    return false;
  }
}
