/** Starts a browser with its own egress proxy. */

import type { BaseLogger } from "pino";
import type { Metrics } from "../telemetry/metrics.ts";
import { type Chromium, launchChromium } from "./chromium.ts";
import type { ChromiumOptions } from "./flags.ts";
import type { Lane } from "./lane.ts";

export interface LaunchParts {
  chromium: ChromiumOptions;
  /** Environment of the service; only allow-listed variables reach Chromium. */
  env: Record<string, string | undefined>;
  openLane: () => Promise<Lane>;
  /** Called when a browser's process has been spawned. */
  onSpawn?: (() => void) | undefined;
  /** Called when a browser has started. */
  onStart?: (browser: Pick<Chromium, "version" | "userAgent">) => void;
  log: BaseLogger;
  metrics: Metrics;
}

/** The caller closes both, the browser first. @param timeoutMs for the browser's first response. @throws as `launchChromium`. */
export async function launch(parts: LaunchParts, timeoutMs?: number): Promise<{ chromium: Chromium; lane: Lane }> {
  const { chromium, env, openLane, onSpawn, log, metrics } = parts;
  const lane = await openLane();
  try {
    const browser = await launchChromium(chromium, lane.proxyServer, env, log, { onSpawn, timeoutMs });
    parts.onStart?.(browser);
    metrics.browserLaunches.inc();
    log.info({ browserPid: browser.pid, version: browser.version }, "browser started");
    return { chromium: browser, lane };
  } catch (error) {
    await lane.close();
    throw error;
  }
}
