/** Starts a server as a child and waits until it answers. */

import { readFile } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";
import { startChild } from "./child.ts";

export interface RunningServer {
  pid: number;
  /** From its start to its first ready answer. */
  readyMs: number;
  /** Resolves with its last words when it ends, also by itself. */
  ended: Promise<string>;
  stop(): Promise<void>;
}

interface ServerOptions {
  /** As errors begin: "The service". */
  name: string;
  command: string[];
  cwd: string;
  env: Record<string, string | undefined>;
  logFile: string;
  /** Address that answers 200 when it is ready. */
  readyAt: string;
  /** How long it may take to end what is under way. */
  graceMs: number;
}

/** @throws {Error} with its last words when it ends first or takes longer than a minute. */
export async function startServer(
  { name, command, cwd, env, logFile, readyAt, graceMs }: ServerOptions,
  signal: AbortSignal,
): Promise<RunningServer> {
  const since = performance.now();
  const child = startChild(command, { cwd, env, logFile });
  const lastWords = async () => (await readFile(logFile, "utf8").catch(() => "")).trim().split("\n").slice(-15).join("\n");
  const ended = child.ended.then(async (how) => `${name} ended (${how}):\n${await lastWords()}`);
  const stop = () => child.stop("SIGTERM", graceMs);
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(60_000)]);
  try {
    while (!(await isReady(readyAt, deadline))) {
      if (!child.running()) throw new Error(await ended);
      signal.throwIfAborted();
      if (deadline.aborted) throw new Error(`${name} was not ready after a minute:\n${await lastWords()}`);
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
