/**
 * Charges for captures, in screenshots from the monthly quota: each capture costs one screenshot, or more if it is a recording. Reserving
 * raises the month's counter before the page is requested. The reservation is later refunded, or it is settled once storing the image has
 * succeeded or failed, which makes the charge final. The cost can be moved between a capture's outputs. Images that can be read are charged
 * for; images that were neither stored nor sent are free.
 *
 * The reservation is a pending record in `screenshots`. In one output's record, the `costs` column holds the capture's cost; in the other
 * outputs' records, it is 0. The month's counter is `usage_periods.used`. Reserving and refunding change the record and the counter in one
 * statement; so does `settleUnstored` when it refunds. The other methods change only records. Each statement first checks the record's
 * state, so methods may be repeated and may run concurrently in any number of processes, and a process may die between any two statements.
 * Whichever of settling, refunding and the sweep of expired reservations (sweep.ts) runs first wins.
 *
 * docs/quota.md covers all cases. The main rules:
 * - A stored image is charged for, whether or not the response was sent: it can be fetched by its id. An image that could not be stored is
 *   charged for only if it was sent from memory (`settle`); otherwise it is free (`settleUnstored`).
 * - With `ROLE=api`, a worker settles the outputs, but the charge is final only after `confirm`, which is called once the response has been
 *   sent or has taken 30 s, or the caller has disconnected (awaited-charges.ts). If no output is stored when the caller disconnects or time
 *   runs out, the capture is dropped (`unanswered`): it is refunded, and outputs stored later can't be read. If the process dies, the sweep
 *   drops the capture.
 */

import type { Metrics } from "../../telemetry/metrics.ts";
import type { Caller } from "../keys/caller.ts";
import { type DropReason, dropUnanswered, type OnDropped } from "./drop.ts";
import { createReserve, insertSlices, quotaLeft, quotaPeriod, type Reserve, resumePending } from "./quota.ts";
import { refundRecord, refundUnneeded, refundUnreadable, refundUnstored } from "./refund.ts";
import type { OutputNames, Reservation, SliceNames } from "./reservation.ts";
import { createSettle, markDone, markUnstored, type Settle, type SettleParts } from "./settle.ts";

/** The record or records to refund. */
export type Refund =
  /** A pending output that failed. */
  | { output: string; error: string; explanation?: object | undefined }
  /**
   * Ids of pending outputs that aren't needed after all, or of captures that need none of their pending outputs. The outputs' records are
   * deleted.
   */
  | { unneeded: string[] }
  /**
   * A worker's capture, running or finished, whose outputs can't be sent; it is recorded with `reason`. Nothing is refunded if an output is
   * stored, because the output can be read by its id: the capture must then be confirmed instead.
   */
  | { unanswered: string; reason?: DropReason | undefined }
  /** A capture that was stored, but could not be read from storage. Its images are kept. */
  | { unreadable: string }
  /** A queued capture that has ended. Refunded unless one of its images is stored or may still be stored; its records are kept. */
  | { unstored: string };

export interface Charge {
  /**
   * Charges each capture's cost, in screenshots, to the caller's current month, and records the outputs as pending, for all of the captures
   * or for none. Also counts captures on unlimited plans. Locks the month's counter to serialize the account's reservations, so the quota
   * is never exceeded. A reservation made after the statement's deadline is refunded immediately; a reservation whose result is lost is
   * refunded when it expires.
   * @param charged number of screenshots; a batch, which is one transaction, charges for all its captures on the first call and 0 on later
   *   calls.
   * @returns one reservation for each output, in order.
   * @throws {AppError} `quota_exceeded`, whose message states how many screenshots are left if more than one was needed; `unavailable`;
   *   `invalid_api_key` if the account's row is gone.
   */
  reserve: Reserve;
  /**
   * Screenshots that `reserve` can still charge in this transaction; infinity if the plan is unlimited. @throws {AppError} `unavailable`.
   */
  left(caller: Caller): Promise<number>;
  /**
   * Takes over a queued capture's reservations for an attempt. All its outputs become pending again for `reservedMs`, even outputs that an
   * earlier attempt settled before its process died. Charges nothing; the capture's cost moves to its first output.
   * @returns the reservations, keyed by output name. @throws {AppError} `unavailable`.
   */
  reserveAgain(captureId: string, outputs: OutputNames[], reservedMs: number): Promise<Map<string, Reservation>>;
  /**
   * Splits a pending output into its slices, at no further cost. @throws {AppError} `unavailable`, including when the output is no longer
   * pending.
   */
  reserveSlices(output: Reservation, slices: SliceNames): Promise<Reservation[]>;

  /**
   * Confirms the charge for a stored or delivered output and completes its record. Only this process knows the result, so it retries during
   * a database outage until the reservation expires. After a longer outage, or if the process dies, the sweep refunds the reservation: the
   * screenshot is free, its record says `abandoned`, and no record refers to the stored object.
   * @returns false, changing nothing, if the reservation was already settled, refunded or swept.
   * @throws {AppError} the last attempt's error.
   */
  settle: Settle;
  /**
   * Like `settle`, for an output that was neither stored nor sent. Its cost moves to another output of the capture that is stored or may
   * still be stored; if there is none, the cost is refunded. While a queued capture is running, its cost is kept, since another attempt may
   * store the output: see `refund({ unstored })`.
   */
  settleUnstored: Settle;
  /** Whether the output was refunded, in which case its image must not be kept. @throws {AppError} `unavailable`. */
  isRefunded(reservation: Reservation): Promise<boolean>;
  /**
   * Confirms the charge for a capture that a worker made for an API process, once the response has been sent; until then, its settled
   * outputs can still be refunded. @returns false if they have already been refunded, or if the charge was already confirmed. @throws
   * {AppError} `unavailable`.
   */
  confirm(captureId: string): Promise<boolean>;

  /**
   * Returns the cost to the reservation's month, which may already be over. For an output, or a capture that is `unanswered`, also records
   * the reason.
   * @returns false, changing nothing, if there was nothing to refund. @throws {AppError} `unavailable`; the sweep then refunds the
   *   reservation when it expires.
   */
  refund(what: Refund): Promise<boolean>;

  /**
   * Moves a capture's cost from one of its pending outputs to another, before `from` is refunded. Changes nothing if `from` doesn't carry
   * the cost or is no longer pending. @throws {AppError} `unavailable`.
   */
  move(from: Reservation, to: Reservation): Promise<void>;
}

interface ChargeParts extends SettleParts {
  metrics?: Pick<Metrics, "quotaRefunds">;
  onDropped?: OnDropped;
}

export function createCharge(parts: ChargeParts): Charge {
  const { database, clock, metrics, onDropped } = parts;

  async function refund(what: Refund): Promise<boolean> {
    if ("unneeded" in what) return await refundUnneeded(database, what.unneeded);
    if ("unstored" in what) return await refundUnstored(database, what.unstored);
    if ("unreadable" in what) return await refundUnreadable(database, what.unreadable);
    if ("output" in what) return await refundOutput(what);
    const { count, images } = await dropUnanswered(database, what.unanswered, what.reason);
    if (images.length > 0) await onDropped?.(images);
    return count > 0;
  }

  async function refundOutput({ output, error, explanation }: Extract<Refund, { output: string }>): Promise<boolean> {
    const isRefunded = await refundRecord(database, output, error, explanation);
    if (isRefunded) metrics?.quotaRefunds.inc({ reason: "failed" });
    return isRefunded;
  }

  return {
    reserve: createReserve(database, clock, ({ id }) => refund({ output: id, error: "unavailable" })),
    left: (caller) => quotaLeft(database, caller, quotaPeriod(caller.anchor, new Date(clock.now()))),
    async reserveAgain(captureId, outputs, reservedMs) {
      const endsAtMs = clock.now() + reservedMs;
      const pending = await resumePending(database, captureId, outputs, reservedMs);
      return new Map(pending.map(({ id, output }) => [output, { id, endsAtMs }]));
    },
    async reserveSlices({ id: first, endsAtMs }, slices) {
      const others = await insertSlices(database, first, slices);
      return [first, ...others].map((id) => ({ id, endsAtMs }));
    },
    settle: createSettle(parts, markDone),
    settleUnstored: createSettle(parts, markUnstored),
    async isRefunded({ id }) {
      const { rows } = await database.query<{ status: string }>("select status from screenshots where id = $1", [id]);
      return rows[0] === undefined || rows[0].status === "failed";
    },
    async confirm(captureId) {
      const { rowCount } = await database.query("update captures set answer_by = null where id = $1 and answer_by is not null", [
        captureId,
      ]);
      return rowCount === 1;
    },
    refund,
    async move(from, to) {
      await database.query(
        `with held as (select id, costs from screenshots where id = $1 and status = 'pending' and costs > 0 for update),
              taken as (update screenshots s set costs = 0 from held where s.id = held.id)
         update screenshots s set costs = held.costs from held where s.id = $2`,
        [from.id, to.id],
      );
    },
  };
}
