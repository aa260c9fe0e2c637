/** Starts the site to be captured in its own process. */

import { join } from "node:path";
import { root } from "../scripts/stack/folders.ts";
import { freePort } from "../scripts/stack/ports.ts";
import { startServer } from "../scripts/stack/server.ts";
import { requestScreenshot } from "./measure/client.ts";

export interface Site extends AsyncDisposable {
  /** Hosts with ports. */
  hosts: string[];
  /** URL of a page. On the slow network, each response is delayed by 30 to 100 ms, constant for each URL. */
  url(page: string, network: Network): string;
  /** Requested paths that don't exist, so far. */
  missing(): Promise<string[]>;
}

export type Network = "fast" | "slow";

export async function startSite(folder: string, signal: AbortSignal): Promise<Site> {
  const ports = { fast: await freePort(), slow: await freePort() };
  const originOf = (network: Network) => `http://127.0.0.1:${ports[network]}`;
  const missingAt = `${originOf("fast")}/missing`;
  const program = {
    name: "The site",
    command: [process.execPath, join(root, "bench/site/server.ts")],
    cwd: root,
    env: { ...process.env, FAST_PORT: String(ports.fast), SLOW_PORT: String(ports.slow) },
    logFile: join(folder, "site.log"),
    readyAt: missingAt,
    graceMs: 2_000,
  };
  const { stop } = await startServer(program, signal);
  return {
    hosts: Object.values(ports).map((port) => `127.0.0.1:${port}`),
    url: (page, network) => `${originOf(network)}/${page}`,
    missing: async () => JSON.parse((await requestScreenshot(missingAt, {})).body.toString()),
    [Symbol.asyncDispose]: stop,
  };
}
