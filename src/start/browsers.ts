/**
 * Starts the browsers and their egress filter. Separate from the other services, because browsers take the longest to start and are
 * therefore started first.
 */

import type { BaseLogger } from "pino";
import { createLentBrowsers, type LentBrowsers } from "../browser/cdp-browsers.ts";
import { defaultSlots } from "../browser/default-slots.ts";
import { findChromium, installAdvice } from "../browser/executable.ts";
import { createSlots, type Slots } from "../browser/slots.ts";
import type { Config } from "../settings/config.ts";
import { withDeadline } from "../shared/deadline.ts";
import { createMetrics, type Metrics } from "../telemetry/metrics.ts";
import { type Connections, createNetwork } from "./network.ts";

export interface Browsers extends Connections {
  metrics: Metrics;
  slots: Slots;
  /** Browsers for the browser endpoint; undefined if the endpoint is off. */
  lent: LentBrowsers | undefined;
  /** Identifies the browser that started last; undefined until one has started. */
  identity(): { version: string; userAgent: string } | undefined;
  /** Resolves once the first browser's process has been spawned or has failed to spawn. */
  spawned: Promise<void>;
  started: Promise<void>;
  /** Waits for a browser that is still starting: otherwise it would run until this process exits. */
  close(): Promise<void>;
}

/** A lent browser may transfer as much per minute as a capture may in total. */
const minuteMs = 60_000;
/** Maximum time for which a browser that is still starting can delay closing. */
const startEndMs = 5_000;

/**
 * Returns while the first browser is starting; `started` resolves once it has rendered an image, and rejects if it can't. The caller must
 * call `close` in either case.
 * @param env the service's environment; only allow-listed variables are passed on to Chromium.
 * @throws if Chromium isn't installed.
 */
export function startBrowsers(config: Config, env: Record<string, string | undefined>, log: BaseLogger): Browsers {
  const executablePath = findChromium(config.PUPPETEER_EXECUTABLE_PATH);
  if (!executablePath) throw new Error(`Chromium is not installed. ${installAdvice()}`);

  const metrics = createMetrics();
  const slotsMax = config.MAX_CONCURRENT_SCREENSHOTS ?? defaultSlots();
  const spawned = Promise.withResolvers<void>();
  const { openProxy, vetTarget, connect } = createNetwork(config, { log, metrics });
  let identity: ReturnType<Browsers["identity"]>;
  const parts = {
    chromium: { executablePath, sandbox: config.CHROMIUM_SANDBOX, webgl: config.CHROMIUM_WEBGL },
    env,
    memoryMaxBytes: config.MAX_BROWSER_MEMORY_MB * 1024 * 1024,
    onStart: ({ version, userAgent }: NonNullable<typeof identity>) => {
      identity = { version, userAgent };
    },
    log,
    metrics,
  };
  const slots = createSlots({
    ...parts,
    openProxy,
    onSpawn: spawned.resolve,
    slotsMax,
    queuedMax: config.MAX_QUEUED_SCREENSHOTS ?? 8 * slotsMax,
    queueWaitMaxMs: config.SCREENSHOT_TIMEOUT / 2,
  });
  const lent =
    config.CDP_PORT === undefined
      ? undefined
      : createLentBrowsers({
          ...parts,
          openProxy: () => openProxy(Math.ceil(config.CDP_SESSION_TIMEOUT / minuteMs)),
          browsersMax: config.CDP_MAX_SESSIONS,
          accountMax: config.CDP_MAX_SESSIONS_PER_ACCOUNT,
          waitMaxMs: config.CDP_MAX_WAIT,
        });
  const started = slots.start();
  const settled = started.catch(() => {}); // reported to the caller through `started`
  settled.then(spawned.resolve);
  let closed: Promise<void> | undefined;
  return {
    metrics,
    slots,
    lent,
    identity: () => identity,
    vetTarget,
    connect,
    spawned: spawned.promise,
    started,
    close: () => {
      const startEnded = withDeadline(settled, startEndMs, () => {});
      closed ??= startEnded.then(async () => void (await Promise.all([slots.close(), lent?.close()])));
      return closed;
    },
  };
}
