/** One capture: reserves quota before the page is requested, refunds it on failure, and stores the image in the background. */

import { v7 } from "uuid";
import type { AddCopies } from "../../accounts/destinations/copies.ts";
import type { Caller } from "../../accounts/keys/caller.ts";
import type { PageSessions } from "../../accounts/sessions/page-sessions.ts";
import type { SignInAttempts } from "../../accounts/sessions/sign-in-attempts.ts";
import type { Charge } from "../../accounts/usage/charge.ts";
import type { Reservation } from "../../accounts/usage/reservation.ts";
import { costOf } from "../../capture/options.ts";
import type { Capture, TakeCapture } from "../../capture/request.ts";
import type { Queries } from "../../database/database.ts";
import type { Clock } from "../../shared/clock.ts";
import { AppError, recordedCode } from "../../shared/errors.ts";
import { sha256 } from "../../shared/turns.ts";
import type { Archive, RecordOutcome } from "./archive.ts";
import { storingMaxMs } from "./archive-upload.ts";
import type { CaptureCache } from "./cache.ts";
import { type CacheEntry, mayBeCached } from "./cache-entry.ts";
import type { Proxies } from "./proxies.ts";
import { createSentMark, type SentMark } from "./sent-mark.ts";
import { accessOf, type TakeRequest, withVersion } from "./take-options.ts";

/** A screenshot with its image. */
export interface Screenshot extends Omit<CacheEntry, "objectKey" | "slices"> {
  image: Buffer;
  /** Duration of each phase in milliseconds; absent if the image came from the cache. */
  timings?: Capture["timings"];
  waitEnded?: Capture["waitEnded"];
  explanation?: Capture["explanation"];
  /** Resolves with the image's object key once it is stored, or `null` if storing it has failed, at least so far. Never rejects. */
  stored: Promise<string | null>;
  /** Set with `waitsForRoom`: resolves once the archive counts the image's memory, or has dropped the image. */
  admitted?: Promise<void>;
  /** See {@link SentMark}; absent if the image is already stored, or callers can get it only from storage. */
  markSent?: SentMark["markSent"] | undefined;
  /** Set if another process made the capture: its charge is final only once this is called, when the response has been sent. */
  confirmCharge?: () => void;
}

export interface TimeLimit {
  /** Aborts at the request's deadline, or when no request is waiting for the capture anymore. */
  signal: AbortSignal;
  /** Deadline, as a `performance.now()` time. */
  deadlineAt: number;
}

/** Resolves once the image exists; it is stored in the background (see `stored`). */
export type CaptureAndStore = (caller: Caller, request: TakeRequest, time: TimeLimit) => Promise<Screenshot>;

export interface CaptureAndStoreParts extends Pick<SignInAttempts, "startTyping" | "countTyping"> {
  charge: Charge;
  takeCapture: TakeCapture;
  archive: Archive;
  cache: CaptureCache;
  sessions: Pick<PageSessions, "open">;
  proxies: Pick<Proxies, "proxyFor">;
  addCopies: AddCopies;
  clock: Clock;
  /** Upper bound on every plan's retention; none if undefined. */
  retentionDaysMax: number | undefined;
}

/**
 * A reservation outlives the capture and the attempts to store its image by a minute, so that a database outage of up to a minute
 * doesn't lose the record of what was delivered. The sweep refunds older reservations.
 */
export const storingReservationMs = storingMaxMs + 60_000;
const dayMs = 86_400_000;

export function createCaptureAndStore(parts: CaptureAndStoreParts): CaptureAndStore {
  const { charge, takeCapture } = parts;
  const keep = createKeep(parts);
  return async (caller, request, { signal, deadlineAt }) => {
    // Before the reservation, because it may throw.
    const access = request.isPlain && caller.allowedTargets.length === 0 ? {} : accessOf(caller, request, parts);
    const reserving = charge.reserve(caller, [{ costs: costOf([request.options]), outputs: [reservedFor(caller, request, parts)] }]);
    const started = performance.now();
    const refused = new AbortController();
    reserving.catch((error) => refused.abort(error));
    const capture = await takeCapture({
      options: request.options,
      account: caller.userId,
      signal: AbortSignal.any([signal, refused.signal]),
      deadlineAt,
      permission: reserving, // a browser is prepared in parallel; the target isn't contacted before this resolves
      ...access,
    }).catch(async (error) => {
      const [reservation] = await reserving; // if this rejects, the capture has failed with the same error
      await refundFailed(charge, reservation, error);
      throw error;
    });
    const [reservation] = await reserving;
    const sentMark = createSentMark(parts.clock, request.options.timeout);
    return await keep(caller, request, { reservation, capture, started, sentMark });
  };
}

type RetentionParts = Pick<CaptureAndStoreParts, "clock" | "retentionDaysMax">;

export function retentionMsOf(caller: Caller, { retentionDaysMax }: RetentionParts): number {
  return Math.min(caller.retentionDays, retentionDaysMax ?? Number.POSITIVE_INFINITY) * dayMs;
}

/** Assigns a new id. */
export function reservedFor(caller: Caller, { options, target, recordedOptions, identity }: TakeRequest, parts: RetentionParts) {
  return {
    id: v7(),
    url: target.href,
    options: recordedOptions,
    cacheKey: identity,
    reservedMs: options.timeout * 1000 + storingReservationMs,
    expiresAt: new Date(parts.clock.now() + retentionMsOf(caller, parts)),
  };
}

export interface ToKeep {
  reservation: Reservation;
  capture: Capture;
  /** Start time, as a `performance.now()` time. */
  started: number;
  /** Whether `stored` resolves only after the last attempt to store the image. Set if no caller is waiting for the image. */
  isPatient?: boolean | undefined;
  /** Whether the image waits for room in the archive; the caller then limits its memory until `admitted` resolves. */
  waitsForRoom?: boolean | undefined;
  /** Undefined if callers can get the image only from storage. */
  sentMark?: SentMark | undefined;
}

/** Returns a function that stores a capture in the background under its reservation's id, and then settles the reservation. */
export function createKeep(parts: Pick<CaptureAndStoreParts, "charge" | "archive" | "cache" | "clock" | "addCopies" | "retentionDaysMax">) {
  const { charge, archive, cache, clock, addCopies } = parts;
  return async (caller: Caller, request: TakeRequest, toKeep: ToKeep): Promise<Screenshot> => {
    const { reservation, capture, started, isPatient, waitsForRoom, sentMark } = toKeep;
    const { target, maxAgeSeconds, options } = request;
    const { destination, attachment_name: label } = options;
    const { identity } = capture.sessionVersion === undefined ? request : withVersion(request, capture.sessionVersion);
    const { id } = reservation;
    const record = await recordOf(id, capture);
    const { bytes: image, format, timings, waitEnded, explanation } = capture;
    const capturedAt = clock.now();
    const durationMs = Math.round(performance.now() - started);
    const copied = destination === undefined ? undefined : { userId: caller.userId, screenshots: [id], destination, label, areNew: true };
    const onRecorded = copied && ((transaction: Queries) => addCopies(transaction, copied));
    const settle: RecordOutcome = async (objectKey, closing) => {
      const { kind: verdict, reasons } = record.verdict;
      const verdictReason = reasons.join(" ") || null;
      const about = { durationMs, verdict, verdictReason, objectKey, timings: roundedTimings(timings), explanation };
      const settled = { ...record, ...about, cacheKey: identity, onRecorded };
      if (objectKey === null && !(await sentMark?.isSent(closing))) return await charge.settleUnstored(reservation, settled);
      const isRecorded = await charge.settle(reservation, settled);
      // Only now, because a capture that was refunded in the meantime must not be served from the cache.
      if (isRecorded && objectKey && maxAgeSeconds > 0 && mayBeCached(record.verdict))
        await cache.remember(caller.userId, identity, { ...record, objectKey, capturedAt }, retentionMsOf(caller, parts) / 1000);
      return isRecorded || !(await charge.isRefunded(reservation));
    };
    const metadata = { url: target.href, captured: new Date(capturedAt).toISOString() };
    const { promise: admitted, resolve } = Promise.withResolvers<void>();
    const onAdmitted = waitsForRoom ? resolve : undefined;
    const stored = archive.keep({ id, userId: caller.userId, format, bytes: image, metadata, isPatient, onAdmitted }, settle);
    return {
      ...record,
      image,
      timings,
      waitEnded,
      explanation,
      capturedAt,
      stored,
      markSent: sentMark?.markSent,
      ...(waitsForRoom && { admitted }),
    };
  };
}

async function recordOf(id: string, { bytes, format, width, height, target, verdict, warnings }: Capture) {
  return {
    id,
    format,
    bytes: bytes.length,
    width,
    height,
    etag: `"${(await sha256(bytes)).toString("base64url")}"`,
    targetStatus: target.status || null,
    finalUrl: target.url,
    title: target.title,
    verdict,
    warnings,
  };
}

/** Rounds each phase to whole milliseconds. */
export function roundedTimings(timings: Record<string, number>): Record<string, number> {
  return Object.fromEntries(Object.entries(timings).map(([phase, ms]) => [phase, Math.round(ms)]));
}

/** Refunds a failed capture. Never rejects. */
export async function refundFailed(charge: Charge, { id }: Reservation, error: unknown): Promise<void> {
  const explanation = error instanceof AppError ? error.explanation : undefined;
  await charge.refund({ output: id, error: recordedCode(error), explanation }).catch(() => {}); // the sweep refunds it later
}
