/** Starts the browsers and their egress filter. Separate from the other services because it takes longest, so it starts first. */

import type { BaseLogger } from "pino";
import { defaultSlots } from "./browser/default-slots.ts";
import { findChromium, installAdvice } from "./browser/executable.ts";
import { createSlots } from "./browser/slots.ts";
import type { Config } from "./config.ts";
import { parseAllowedHosts } from "./egress/address-policy.ts";
import { createLane } from "./egress/lane.ts";
import type { ServiceEndpoint } from "./egress/own-infrastructure.ts";
import { createVet, EgressRefused, type Vet } from "./egress/vet.ts";
import { AppError } from "./errors.ts";
import { createMetrics } from "./metrics.ts";

export type Browsers = ReturnType<typeof startBrowsers>;

/** Network limits of one capture. Chromium opens at most 256 connections at a time; those that it closed linger for a moment. */
const egressLimits = {
  bytesMax: 200 * 1024 * 1024,
  socketsMax: 320,
  connectTimeoutMs: 10_000,
  refusalsMax: 3_000,
  refusalsPerSecondMax: 1_000,
};

/**
 * The first browser is starting when this returns; `started` resolves when it has rendered an image, and rejects if it can't. The caller
 * closes in both cases.
 * @param env the service's environment; an allow-list of it is passed on to Chromium.
 * @throws when Chromium isn't installed.
 */
export function startBrowsers(config: Config, env: Record<string, string | undefined>, log: BaseLogger) {
  const executablePath = findChromium(config.PUPPETEER_EXECUTABLE_PATH);
  if (!executablePath) throw new Error(`Chromium is not installed. ${installAdvice()}`);

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
  const settled = started.catch(() => {}); // reported to the caller through `started`
  settled.then(spawned.resolve);
  let closed: Promise<void> | undefined;
  return {
    metrics,
    slots,
    /** @throws {AppError} `target_blocked` or `name_not_resolved`, without details of the internal network. */
    vetTarget: (url: URL, signal: AbortSignal) => vetTarget(vet, url, signal),
    /** Resolves when the first browser's process has been spawned, or can't be. */
    spawned: spawned.promise,
    started,
    /** Waits for a browser that is still starting, as nothing else would end it. */
    close: () => {
      closed ??= settled.then(() => slots.close());
      return closed;
    },
  };
}

async function vetTarget(vet: Vet, url: URL, signal: AbortSignal): Promise<void> {
  try {
    await vet.vetUrl(url, signal);
  } catch (error) {
    if (!(error instanceof EgressRefused)) throw error;
    throw new AppError(error.asUnresolved ? "name_not_resolved" : "target_blocked", { isUnrecorded: true, cause: error });
  }
}

/** What no page may reach, even where an operator allows the range that it is in. */
function infrastructureOf(config: Config): ServiceEndpoint[] {
  const redis = new URL(config.REDIS_URL);
  const byUrl = [config.STORAGE_URL, config.STORAGE_ENDPOINT, config.WEB_SERVER_URL].flatMap((text) => endpointOf(text) ?? []);
  return [
    { host: config.DATABASE_HOST, port: config.DATABASE_PORT },
    { host: redis.hostname || config.REDIS_HOST, port: Number(redis.port) || config.REDIS_PORT },
    { host: config.HOST, port: config.PORT },
    { host: config.HOST, port: config.METRICS_PORT },
    { host: config.WEB_HOST, port: config.WEB_PORT },
    ...byUrl,
    ...[config.PUBLIC_URL, config.WEB_PUBLIC_URL].flatMap(publicEndpoints),
  ];
}

/** Endpoints of a public URL. A default port of the web stands for both default ports, which usually lead to the same server. */
function publicEndpoints(url: string): ServiceEndpoint[] {
  const endpoint = endpointOf(url);
  if (!endpoint) return [];
  const ports = endpoint.port === 80 || endpoint.port === 443 ? [80, 443] : [endpoint.port];
  return ports.map((port) => ({ ...endpoint, port, isPublic: true }));
}

function endpointOf(text: string): ServiceEndpoint | undefined {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol)) return undefined;
  return { host: url.hostname, port: Number(url.port) || (url.protocol === "https:" ? 443 : 80) };
}
