/** Starts a server as a child process and waits until it is ready. */

import { readFile } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";
import { startChild } from "./child.ts";

export interface RunningServer {
  pid: number;
  /** Time from its start until it was ready. */
  readyMs: number;
  /** Resolves with how it exited and the end of its log. */
  ended: Promise<string>;
  stop(): Promise<void>;
}

interface ServerOptions {
  /** Name in error messages, such as "The service". */
  name: string;
  command: string[];
  cwd: string;
  env: Record<string, string | undefined>;
  logFile: string;
  /** URL that returns 200 once the server is ready. */
  readyAt: string;
  /** Time to finish running work before it is killed. */
  graceMs: number;
}

/** @throws {Error} with the end of its log if it exits or is not ready within a minute. */
export async function startServer(
  { name, command, cwd, env, logFile, readyAt, graceMs }: ServerOptions,
  signal: AbortSignal,
): Promise<RunningServer> {
  const since = performance.now();
  const child = startChild(command, { cwd, env, logFile });
  const logEnd = async () => (await readFile(logFile, "utf8").catch(() => "")).trim().split("\n").slice(-15).join("\n");
  const ended = child.ended.then(async (how) => `${name} ended (${how}):\n${await logEnd()}`);
  const stop = () => child.stop("SIGTERM", graceMs);
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(60_000)]);
  try {
    while (!(await isReady(readyAt, deadline))) {
      if (!child.running()) throw new Error(await ended);
      signal.throwIfAborted();
      if (deadline.aborted) throw new Error(`${name} was not ready after a minute:\n${await logEnd()}`);
      await pause(50);
    }
  } catch (error) {
    await stop();
    throw error;
  }
  return { pid: child.pid, readyMs: performance.now() - since, ended, stop };
}

async function isReady(address: string, signal: AbortSignal): Promise<boolean> {
  try {
    const response = await fetch(address, { signal: AbortSignal.any([signal, AbortSignal.timeout(5_000)]) });
    await response.body?.cancel();
    return response.status === 200;
  } catch {
    return false;
  }
}
