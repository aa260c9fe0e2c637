/** Starts a browser with its own egress proxy. */

import type { BaseLogger } from "pino";
import type { Metrics } from "../telemetry/metrics.ts";
import type { BrowserProxy } from "./browser-proxy.ts";
import { type Chromium, launchChromium } from "./chromium.ts";
import type { ChromiumOptions } from "./flags.ts";

export interface LaunchParts {
  chromium: ChromiumOptions;
  /** Environment of the service; only allow-listed variables are passed to Chromium. */
  env: Record<string, string | undefined>;
  openProxy: () => Promise<BrowserProxy>;
  /** Called when a browser's process has been spawned. */
  onSpawn?: (() => void) | undefined;
  /** Called when a browser has started. */
  onStart?: (browser: Pick<Chromium, "version" | "userAgent">) => void;
  log: BaseLogger;
  metrics: Metrics;
}

/** The caller closes both, the browser first. @param timeoutMs deadline for its first response. @throws the same as `launchChromium`. */
export async function launch(parts: LaunchParts, timeoutMs?: number): Promise<{ chromium: Chromium; proxy: BrowserProxy }> {
  const { chromium, env, openProxy, onSpawn, log, metrics } = parts;
  const proxy = await openProxy();
  try {
    const browser = await launchChromium(chromium, proxy.proxyServer, env, log, { onSpawn, timeoutMs });
    parts.onStart?.(browser);
    metrics.browserLaunches.inc();
    log.info({ browserPid: browser.pid, version: browser.version }, "browser started");
    return { chromium: browser, proxy };
  } catch (error) {
    await proxy.close();
    throw error;
  }
}
