/**
 * The cost of captures, in screenshots of the monthly quota. A capture reserves one before it begins. The reservation is settled once the
 * attempts to store its image have ended, or refunded; the cost can be moved between a capture's outputs.
 *
 * The reservation is a pending record in `screenshots`, and its `costs` column the amount: 1 for one output of a capture, 0 for the others.
 * The counter of the month is `usage_periods.used`. Reserving and refunding change both in one statement; the other methods change only
 * records. Each statement first checks the record's state, so methods may be repeated, may run concurrently in any number of processes, and
 * a process may die between any of them. Whichever of settling, refunding and the sweep of expired reservations (sweep.ts) runs first wins.
 *
 * A capture whose response fails is still charged, because the screenshot can be fetched by its id. docs/quota.md has all cases:
 * - A process with browsers settles in the background, whether or not a response is sent. It refunds the capture (`undelivered`, by
 *   `onAnswered(false)`) only if the image exceeds the account's share of memory and can't be read from object storage either.
 * - With `ROLE=api`, a worker settles the outputs, but the charge is final only after `settleAnswer`: when the response has been sent or
 *   has taken 30 s, or the caller has left (`onAnswered(true)`, answers.ts). If the image can't be read, it is refunded (`unanswered`). If
 *   the response is an error of the service, or the process dies, the sweep refunds it.
 */

import { setTimeout as delay } from "node:timers/promises";
import type { BaseLogger } from "pino";
import { jsonbText, type Queries } from "../../database/database.ts";
import type { Clock } from "../../shared/clock.ts";
import type { Metrics } from "../../telemetry/metrics.ts";
import type { Caller } from "../keys/caller.ts";
import { insertPending, insertSlices, resumePending } from "./quota.ts";
import { refundRecord, refundUnanswered, refundUndelivered, refundUnneeded } from "./refund.ts";
import type { OutputNames, Reservation, ReservedCapture, ReservedOutput, SettledImage, SliceNames } from "./reservation.ts";

/** The record or records to refund. */
export type Refund =
  /** A pending output that failed. */
  | { output: string; error: string; explanation?: object | undefined }
  /** All pending outputs of a capture that failed. */
  | { capture: string; error: string }
  /** Pending outputs that don't require a capture, or captures with all their outputs. Their records are deleted. */
  | { unneeded: string[] }
  /** A finished capture by a worker whose response could not be sent. Its records and files are kept. */
  | { unanswered: string }
  /** A screenshot, or a capture of this process with all its outputs, that could not be sent. Its records and files are kept. */
  | { undelivered: string };

export interface Charge {
  /**
   * Charges one screenshot of the caller's current month for each capture, all or none, and records the outputs as pending. Unlimited plans
   * are counted as well. Locks the month's counter, which serializes an account's reservations, so that the quota is never exceeded. A
   * reservation made after the statement's deadline is refunded immediately; one whose result is lost is refunded when it expires.
   * @param charged number of screenshots; a batch, which is one transaction, charges all its captures with the first call and 0 with
   *   further ones.
   * @returns one reservation for each output, in order.
   * @throws {AppError} `quota_exceeded`, which states how many are left if there are several captures; `unavailable`; `invalid_api_key` if
   *   the account was deleted.
   */
  reserve(caller: Caller, captures: ReservedCapture[], charged?: number): Promise<[first: Reservation, ...others: Reservation[]]>;
  /**
   * Takes over the reservations of a queued capture for an attempt. All its outputs become pending again for `reservedMs`, even those that
   * an earlier attempt settled before its process died. Charges nothing; the capture's cost moves to its first output.
   * @returns the reservations by the outputs' names. @throws {AppError} `unavailable`.
   */
  reserveAgain(captureId: string, outputs: OutputNames[], reservedMs: number): Promise<Map<string, Reservation>>;
  /**
   * Splits a pending output into its slices, at no further cost. @throws {AppError} `unavailable`, including when it is no longer
   * pending.
   */
  reserveSlices(output: Reservation, slices: SliceNames): Promise<Reservation[]>;

  /**
   * Confirms the charge of a delivered output and completes its record. Only this process can record it, so it retries during a database
   * outage until the reservation expires. After a longer outage, or if the process dies, the sweep refunds the reservation: the screenshot
   * is free, its record says `abandoned`, and the stored object has no record.
   * @returns false, changing nothing, if it was already settled, refunded or swept. @throws {AppError} the error of the last attempt.
   */
  settle(reservation: Reservation, image: SettledImage): Promise<boolean>;
  /**
   * Confirms the charge of a capture that a worker made for an API process, which sent its response: until then the settled outputs of such
   * a capture can still be refunded. @returns false if they have been. @throws {AppError} `unavailable`.
   */
  settleAnswer(captureId: string): Promise<boolean>;

  /**
   * Returns the cost to the month of the reservation, which may already be over, and records the reason.
   * @returns false, changing nothing, if nothing was still pending or unanswered. @throws {AppError} `unavailable`; the sweep then refunds
   *   it when it expires.
   */
  refund(what: Refund): Promise<boolean>;

  /**
   * Moves the cost of a capture from one of its pending outputs to another, before the first is refunded. Changes nothing if `from` doesn't
   * carry the cost or is no longer pending. @throws {AppError} `unavailable`.
   */
  move(from: Reservation, to: Reservation): Promise<void>;
}

interface Dependencies {
  /** A transaction, if the charge must take effect together with other changes. */
  database: Queries;
  clock: Clock;
  log: BaseLogger;
  metrics?: Pick<Metrics, "quotaRefunds">;
  /** Pause between attempts to settle; the default doesn't keep the process alive. */
  pause?: (ms: number) => Promise<unknown>;
}

export function createCharge(parts: Dependencies): Charge {
  const { database, clock, metrics } = parts;

  async function refund(what: Refund): Promise<boolean> {
    if ("capture" in what) return await refundRecord(database, { column: "capture_id", id: what.capture }, what.error);
    if ("unneeded" in what) return await refundUnneeded(database, what.unneeded);
    if ("unanswered" in what) return await refundUnanswered(database, what.unanswered);
    if ("undelivered" in what) return await refundUndelivered(database, what.undelivered);
    const isRefunded = await refundRecord(database, { column: "id", id: what.output }, what.error, what.explanation);
    if (isRefunded) metrics?.quotaRefunds.inc({ reason: "failed" });
    return isRefunded;
  }

  return {
    async reserve(caller, captures, charged = captures.length) {
      const now = clock.now();
      // if that fails, the sweep refunds it
      const refundLate = ({ id }: ReservedOutput) => void refund({ output: id, error: "unavailable" }).catch(() => {});
      const reserved = await insertPending(database, caller, { captures, charged, now: new Date(now), refundLate });
      const [first, ...others] = reserved.map(({ id, reservedMs }): Reservation => ({ id, endsAtMs: now + reservedMs }));
      if (!first) throw new Error("a capture has at least one output");
      return [first, ...others];
    },
    async reserveAgain(captureId, outputs, reservedMs) {
      const endsAtMs = clock.now() + reservedMs;
      const pending = await resumePending(database, captureId, outputs, reservedMs);
      return new Map(pending.map(({ id, output }) => [output, { id, endsAtMs }]));
    },
    async reserveSlices({ id: first, endsAtMs }, slices) {
      const others = await insertSlices(database, first, slices);
      return [first, ...others].map((id) => ({ id, endsAtMs }));
    },
    settle: createSettle(parts),
    settleAnswer: (captureId) => markAnswered(database, captureId),
    refund,
    async move(from, to) {
      await database.query(
        `with taken as (update screenshots set costs = 0 where id = $1 and status = 'pending' and costs = 1 returning 1)
         update screenshots set costs = 1 where id = $2 and exists (select from taken)`,
        [from.id, to.id],
      );
    },
  };
}

const pausesMs = { first: 500, max: 5_000 };

/** Retries during a database outage. */
function createSettle({ database, clock, log, pause = pauseFor }: Dependencies): Charge["settle"] {
  return async ({ id, endsAtMs }, image) => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        const isRecorded = await markDone(database, id, image);
        if (attempt > 1) log.info({ id, attempt }, "a delivered capture has been recorded");
        return isRecorded;
      } catch (error) {
        const pauseMs = Math.min(pausesMs.first * 2 ** (attempt - 1), pausesMs.max);
        if (clock.now() + pauseMs >= endsAtMs) throw error;
        if (attempt === 1) log.warn({ err: error, id }, "failed to record a delivered capture; retrying");
        await pause(pauseMs);
      }
    }
  };
}

const pauseFor = (ms: number): Promise<unknown> => delay(ms, undefined, { ref: false });

/** Returns false if the record is no longer pending. */
async function markDone(database: Queries, id: string, image: SettledImage): Promise<boolean> {
  const { format, width, height, bytes, durationMs, objectKey, verdict, verdictReason, explanation, title } = image;
  const { targetStatus, finalUrl, warnings, timings } = image;
  const { rowCount } = await database.query({
    name: "settle_screenshot",
    timeoutMs: Number.POSITIVE_INFINITY,
    text: `update screenshots
              set status = 'done', lease_until = null, format = $2, width = $3, height = $4, bytes = $5, duration_ms = $6, object_key = $7,
                  verdict = $8, verdict_reason = $9, explanation = $10::jsonb, title = $11, target_status = $12, final_url = $13,
                  warnings = $14::jsonb, timings = $15::jsonb
            where id = $1 and status = 'pending'`,
    values: [
      id,
      format,
      width,
      height,
      bytes,
      Math.round(durationMs),
      objectKey,
      verdict,
      verdictReason,
      explanation ? jsonbText(explanation) : null,
      storedTitle(title),
      targetStatus,
      finalUrl,
      jsonbText(warnings),
      jsonbText(timings),
    ],
  });
  return rowCount === 1;
}

/** Truncated to 300 characters. PostgreSQL can't store NUL, which a page's script can put into its title. */
function storedTitle(title: string): string | null {
  return title.replaceAll("\0", "").trim().slice(0, 300) || null;
}

/** Returns false if the capture's response was already confirmed, or its cost refunded. */
async function markAnswered(database: Queries, captureId: string): Promise<boolean> {
  const { rowCount } = await database.query("update captures set answer_by = null where id = $1 and answer_by is not null", [captureId]);
  return rowCount === 1;
}
