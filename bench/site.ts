/** Starts the site that is captured, in a process of its own. */

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { startChild } from "../scripts/stack/child.ts";
import { root } from "../scripts/stack/folders.ts";
import { freePort } from "../scripts/stack/ports.ts";
import { ask } from "./measure/client.ts";

export interface Site extends AsyncDisposable {
  /** Hosts with ports. */
  hosts: string[];
  /** Address of a page; a slow one delays each answer by 30 to 100 ms, always the same for an address. */
  url(page: string, network: Network): string;
  /** What was asked for and isn't there, so far. */
  missing(): Promise<string[]>;
}

export type Network = "fast" | "slow";

export async function startSite(folder: string, signal: AbortSignal): Promise<Site> {
  const ports = { fast: await freePort(), slow: await freePort() };
  const logFile = join(folder, "site.log");
  const child = startChild([process.execPath, join(root, "bench/site/server.ts")], {
    cwd: root,
    env: { ...process.env, FAST_PORT: String(ports.fast), SLOW_PORT: String(ports.slow) },
    logFile,
  });
  const originOf = (network: Network) => `http://127.0.0.1:${ports[network]}`;
  const stop = () => child.stop("SIGTERM", 2_000);
  const isUp = async () =>
    (await Promise.all([ask(originOf("fast"), {}), ask(originOf("slow"), {})])).every(({ status }) => status === 404);
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(30_000)]);
  while (!(await isUp())) {
    if (deadline.aborted || !child.running()) {
      await stop();
      throw new Error(`The site did not start:\n${await readFile(logFile, "utf8")}`);
    }
    await pause(50);
  }
  const known = await missing();
  async function missing(): Promise<string[]> {
    return JSON.parse((await ask(`${originOf("fast")}/missing`, {})).body.toString());
  }
  return {
    hosts: Object.values(ports).map((port) => `127.0.0.1:${port}`),
    url: (page, network) => `${originOf(network)}/${page}`,
    missing: async () => (await missing()).filter((path) => !known.includes(path)),
    [Symbol.asyncDispose]: stop,
  };
}
