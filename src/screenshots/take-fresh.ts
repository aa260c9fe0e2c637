/** A capture with its book-keeping: quota reserved before it, given back when it fails, the picture stored beside the answer. */

import { createHash } from "node:crypto";
import type { BaseLogger } from "pino";
import { v7 } from "uuid";
import type { Caller } from "../accounts/keys/authenticate.ts";
import { targetAllowed } from "../accounts/keys/domains.ts";
import type { Quota, Reservation } from "../accounts/usage/quota.ts";
import { createSettle } from "../accounts/usage/settling.ts";
import type { Capture, TakeCapture } from "../capture/capture.ts";
import { type CaptureOptions, type createOptionsSchema, withoutSecrets } from "../capture/options.ts";
import type { Clock } from "../clock.ts";
import { recordedCode } from "../errors.ts";
import { type Archive, storingMaxMs } from "./archive.ts";
import type { CaptureCache } from "./cache.ts";
import type { CacheEntry } from "./cache-entry.ts";

/** A picture that was taken a moment ago, as answers need it. */
export interface Fresh extends Omit<CacheEntry, "objectKey"> {
  image: Buffer;
  /** `undefined`: it comes from the cache. */
  timings: Capture["timings"] | undefined;
  waitEnded: Capture["waitEnded"] | undefined;
  /** Where the picture is kept, once it is; `null` when it could not be. Never rejects. */
  stored: Promise<string | null>;
}

export interface FreshRequest {
  key: Caller;
  options: CaptureOptions;
  identity: Buffer;
  signal: AbortSignal;
}

export type TakeFresh = (request: FreshRequest) => Promise<Fresh>;

interface FreshParts {
  quota: Quota;
  takeCapture: TakeCapture;
  archive: Archive;
  cache: CaptureCache;
  optionsSchema: ReturnType<typeof createOptionsSchema>;
  clock: Clock;
  log: BaseLogger;
  /** Upper bound of every plan's retention; none when undefined. */
  retentionDaysMax: number | undefined;
}

/**
 * A reservation outlives the capture and the tries to store its image by a minute: a database that is away for that long still records what
 * was delivered. The sweeper gives back what is older.
 */
const storingLeaseMs = storingMaxMs + 60_000;
const dayMs = 86_400_000;

export function createTakeFresh({
  quota,
  takeCapture,
  archive,
  cache,
  optionsSchema,
  clock,
  log,
  retentionDaysMax,
}: FreshParts): TakeFresh {
  const settle = createSettle({ clock, log });
  return async ({ key, options, identity, signal }) => {
    const id = v7();
    const retentionMs = Math.min(key.retentionDays, retentionDaysMax ?? Number.POSITIVE_INFINITY) * dayMs;
    const reserving = quota.reserve(key, {
      id,
      url: options.url,
      options: withoutSecrets(optionsSchema, options),
      cacheKey: identity,
      leaseMs: options.timeout * 1000 + storingLeaseMs,
      expiresAt: new Date(clock.now() + retentionMs),
    });
    const started = performance.now();
    const mayNavigate = key.allowedTargets.length > 0 ? (url: URL) => targetAllowed(key.allowedTargets, url) : undefined;
    // A browser is made ready meanwhile; nothing is asked of the target before the reservation is there.
    const refused = new AbortController();
    reserving.catch((error) => refused.abort(error));
    const capture = await takeCapture({
      options,
      owner: key.userId,
      signal: AbortSignal.any([signal, refused.signal]),
      permission: reserving,
      ...(mayNavigate ? { mayNavigate } : {}),
    }).catch((error) => giveBack(reserving, error));
    const reservation = await reserving;

    const { bytes: image, format, width, height, target, warnings, timings, waitEnded } = capture;
    const about = {
      id,
      format,
      bytes: image.length,
      width,
      height,
      etag: etagOf(image),
      targetStatus: target.status || null,
      finalUrl: target.url,
      title: target.title,
      warnings,
    };
    const capturedAt = clock.now();
    const durationMs = Math.round(performance.now() - started);
    const stored = archive.keep(
      { id, format, bytes: image, metadata: { url: options.url, captured: new Date(capturedAt).toISOString() } },
      async (objectKey) => {
        await settle(reservation, { format, width, height, bytes: image.length, durationMs, objectKey });
        const isGood = target.status < 400;
        if (objectKey && options.is_cached && isGood)
          await cache.remember(key.userId, identity, { ...about, objectKey, capturedAt }, retentionMs / 1000);
      },
    );
    return { ...about, image, timings, waitEnded, capturedAt, stored };
  };
}

/** What failed costs nothing. */
async function giveBack(reserving: Promise<Reservation>, error: unknown): Promise<never> {
  const reservation = await reserving; // what kept it from being made is why the capture failed
  await reservation.refund(recordedCode(error)).catch(() => {}); // the sweeper gives it back later
  throw error;
}

function etagOf(image: Buffer): string {
  return `"${createHash("sha256").update(image).digest("base64url")}"`;
}
