/** Starts the browsers behind their wall. Apart from the other services because it takes longest, and so must begin first. */

import type { BaseLogger } from "pino";
import { defaultSlots } from "./browser/default-slots.ts";
import { findChromium, installAdvice } from "./browser/executable.ts";
import { createSlots } from "./browser/slots.ts";
import type { Config } from "./config.ts";
import { parseAllowedHosts } from "./egress/allowed-hosts.ts";
import { createLane } from "./egress/lane.ts";
import type { Place } from "./egress/own-infrastructure.ts";
import { createVet } from "./egress/vet.ts";
import { createMetrics } from "./metrics.ts";

export type Browsers = ReturnType<typeof startBrowsers>;

/** What one capture may move and hold open on its way out. Chromium keeps to 256 connections by itself; those that it closed take a moment to be gone. */
const egressLimits = {
  bytesMax: 200 * 1024 * 1024,
  socketsMax: 320,
  connectTimeoutMs: 10_000,
  refusalsMax: 3_000,
  refusalsPerSecondMax: 1_000,
};

/**
 * The first browser is on its way when this returns; `started` says when it is proved, or why not. The caller closes, also when it isn't.
 * @param env the service's environment, for Chromium, which gets an allow-list of it.
 * @throws when there is no Chromium.
 */
export function startBrowsers(config: Config, env: Record<string, string | undefined>, log: BaseLogger) {
  const executablePath = findChromium(config.PUPPETEER_EXECUTABLE_PATH);
  if (!executablePath) throw new Error(`There is no Chromium on this machine. ${installAdvice()}`);

  const metrics = createMetrics();
  const slotsMax = config.MAX_CONCURRENT_SCREENSHOTS ?? defaultSlots();
  const spawned = Promise.withResolvers<void>();
  const vet = createVet({ allowedHosts: parseAllowedHosts(config.EGRESS_ALLOWED_HOSTS), infrastructure: infrastructureOf(config) });
  const slots = createSlots({
    chromium: { executablePath, sandbox: config.CHROMIUM_SANDBOX, webgl: config.CHROMIUM_WEBGL },
    env,
    openLane: () =>
      createLane({
        vet,
        log,
        limits: { ...egressLimits, idleTimeoutMs: config.SCREENSHOT_TIMEOUT },
        onRefused: ({ reason }) => metrics.egressRefusals.inc({ reason }),
      }),
    onSpawn: spawned.resolve,
    slotsMax,
    queuedMax: config.MAX_QUEUED_SCREENSHOTS ?? 8 * slotsMax,
    queueWaitMaxMs: config.SCREENSHOT_TIMEOUT / 2,
    memoryMaxBytes: config.MAX_BROWSER_MEMORY_MB * 1024 * 1024,
    log,
    metrics,
  });
  const started = slots.start();
  const settled = started.catch(() => {}); // whoever awaits `started` hears of it
  settled.then(spawned.resolve);
  let closed: Promise<void> | undefined;
  return {
    metrics,
    vet,
    slots,
    /** The first browser's process has begun: for a while it has no need of ours. Also resolves when it can't begin. */
    spawned: spawned.promise,
    started,
    /** A browser that is still starting is waited for: it would be nobody's. */
    close: () => {
      closed ??= settled.then(() => slots.close());
      return closed;
    },
  };
}

/** What no page may reach, even where an operator allows the range that it is in. */
function infrastructureOf(config: Config): Place[] {
  const redis = new URL(config.REDIS_URL);
  const byUrl = [config.STORAGE_URL, config.STORAGE_ENDPOINT, config.WEB_SERVER_URL].flatMap((text) => placeOf(text) ?? []);
  return [
    { host: config.DATABASE_HOST, port: config.DATABASE_PORT },
    { host: redis.hostname || config.REDIS_HOST, port: Number(redis.port) || config.REDIS_PORT },
    { host: config.HOST, port: config.PORT },
    { host: config.HOST, port: config.METRICS_PORT },
    { host: config.WEB_HOST, port: config.WEB_PORT },
    ...byUrl,
    ...[config.PUBLIC_URL, config.WEB_PUBLIC_URL].flatMap(publicPlaces),
  ];
}

/** Where people reach a part of the service; on one of the web's own ports it is often there on both. */
function publicPlaces(url: string): Place[] {
  const place = placeOf(url);
  if (!place) return [];
  const ports = place.port === 80 || place.port === 443 ? [80, 443] : [place.port];
  return ports.map((port) => ({ ...place, port, isPublic: true }));
}

function placeOf(text: string): Place | undefined {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol)) return undefined;
  return { host: url.hostname, port: Number(url.port) || (url.protocol === "https:" ? 443 : 80) };
}
