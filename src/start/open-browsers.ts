/** Starts a process's browsers, if its role has any. */

import type { BaseLogger } from "pino";
import type { Slots } from "../browser/slots.ts";
import type { Config } from "../settings/config.ts";
import { AppError } from "../shared/errors.ts";
import { createMetrics } from "../telemetry/metrics.ts";
import type { Browsers } from "./browsers.ts";
import { createNetwork } from "./network.ts";

/** Like `startBrowsers`. A process with `ROLE=api` has no browsers and doesn't load their modules. */
export async function openBrowsers(config: Config, env: NodeJS.ProcessEnv, log: BaseLogger): Promise<Browsers> {
  if (config.ROLE === "api") return withoutBrowsers(config, log);
  const { startBrowsers } = await import("./browsers.ts");
  return startBrowsers(config, env, log);
}

const noSlots: Slots = {
  start: async () => {},
  withTab: () => Promise.reject(new AppError("unavailable", { message: "This process has no browsers." })),
  check: async () => {},
  state: () => ({ running: 0, waiting: 0, idle: 0, started: 0, max: 0 }),
  stopQueue: () => {},
  close: async () => {},
};

function withoutBrowsers(config: Config, log: BaseLogger): Browsers {
  const metrics = createMetrics();
  const { vetTarget, connect } = createNetwork(config, { log, metrics });
  const done = Promise.resolve();
  return {
    metrics,
    slots: noSlots,
    lent: undefined,
    identity: () => undefined,
    vetTarget,
    connect,
    spawned: done,
    started: done,
    close: () => done,
  };
}
