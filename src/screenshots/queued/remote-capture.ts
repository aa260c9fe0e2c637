/** Runs captures in another process: queues them ahead of all others, waits for them, and reads or checks their files in object storage. */

import { v7 } from "uuid";
import type { Caller } from "../../accounts/keys/caller.ts";
import type { AwaitedCharges } from "../../accounts/usage/awaited-charges.ts";
import { onAbort } from "../../shared/deadline.ts";
import { AppError } from "../../shared/errors.ts";
import { readWholeMaxMs } from "../../storage/read-stored.ts";
import type { ImageStore } from "../../storage/store.ts";
import { type FinishedCapture, failureAgain, resultOf } from "../captures/finished-capture.ts";
import type { TakeOutputs } from "../captures/take-outputs.ts";
import type { OutputRequest } from "../captures/taken-outputs.ts";
import type { CaptureAndStore } from "../take/capture-and-store.ts";
import { recordedWithinMs } from "./attempt.ts";
import type { CaptureJobs } from "./jobs.ts";
import type { CaptureRecords } from "./records.ts";
import { createCheck, createReader, readAgainSeconds, type Unread } from "./remote-files.ts";
import type { UntilEnded } from "./until-ended.ts";

interface RemoteParts {
  captureJobs: Pick<CaptureJobs, "submit" | "cancel" | "abandon">;
  captureRecords: Pick<CaptureRecords, "find">;
  untilEnded: UntilEnded;
  charges: AwaitedCharges;
  store: Pick<ImageStore, "get">;
}

/** Time after the deadline during which a capture that finished in time is still read and delivered. */
export const remoteGraceMs = recordedWithinMs + readWholeMaxMs;
const retryAfterSeconds = 2;

/**
 * `createCaptureAndStore` and `createTakeOutputs` for a process without browsers. A capture is charged once `confirmCharge` is called. When
 * the caller disconnects or the time is up, a capture without a stored output is dropped; a capture with a stored output is charged,
 * because the output can be read. If storage can't deliver a stored output, the capture is refunded but kept. Callers can't exploit that:
 * they can make the time too short for an upload, but can't make storage unavailable.
 */
export function createRemoteCapture(parts: RemoteParts): { captureAndStore: CaptureAndStore; takeOutputs: TakeOutputs } {
  const { charges } = parts;
  const capture = createAwaited(parts);
  const read = createReader(parts);
  const check = createCheck(parts);

  /** A capture that finished although its caller disconnected is charged as if its response had been sent, because its files are kept. */
  const throwIfDisconnected = (id: string, disconnected: AbortSignal) => {
    if (!disconnected.aborted) return;
    charges.confirm(id);
    throw disconnected.reason;
  };

  return {
    async captureAndStore(caller, request, { signal, deadlineAt }) {
      const id = v7();
      const disconnected = abortedBy(signal);
      const alone = { ...request, options: { ...request.options, compare_to: undefined } }; // compared later, like a cached screenshot
      const { outputs } = await capture(caller, id, [{ name: "screenshot", request: alone }], deadlineAt, disconnected);
      const [one] = outputs;
      if (!one || "failure" in one) throw one ? failureAgain(one.failure) : new AppError("unavailable");
      const screenshot = await read(one, disconnected);
      throwIfDisconnected(id, disconnected);
      if ("unread" in screenshot) throw (await giveUp(charges, id, [screenshot]))[0];
      return { ...screenshot, confirmCharge: confirmOnce(charges, id) };
    },
    async takeOutputs(caller, captureId, outputs, { disconnected, deadlineAt }) {
      const finished = await capture(caller, captureId, outputs, deadlineAt, disconnected);
      const taking = finished.outputs.map(async (one) => {
        if ("failure" in one) return { failure: failureAgain(one.failure) };
        return await check(one, disconnected);
      });
      const taken = await Promise.all(taking);
      throwIfDisconnected(captureId, disconnected);
      if (taken.some((one) => "entry" in one)) {
        const outputs = taken.map((one) => ("unread" in one ? { failure: one.unread } : one));
        return { outputs, loads: finished.loads, confirmCharge: confirmOnce(charges, captureId) };
      }
      const failures = await giveUp(charges, captureId, taken as (Unread | { failure: AppError })[]);
      return { outputs: failures.map((failure) => ({ failure })), loads: finished.loads };
    },
  };
}

/**
 * Refunds a capture none of whose outputs can be sent. Keeps it if an output is stored, otherwise drops it.
 * @returns the failures to report to the caller.
 */
async function giveUp(charges: AwaitedCharges, id: string, taken: (Unread | { failure: AppError })[]): Promise<AppError[]> {
  const failures = taken.map((one) => ("unread" in one ? one.unread : one.failure));
  if (taken.some((one) => "unread" in one && one.isStored)) {
    await charges.release(id);
    return failures;
  }
  const isDropped = await charges.drop(id);
  // If the capture wasn't dropped, an output has been stored in the meantime.
  return isDropped ? taken.map((one) => ("unread" in one ? notKept() : one.failure)) : failures;
}

/** Several responses may share a capture; only the first one confirms it. */
function confirmOnce(charges: AwaitedCharges, id: string): () => void {
  let isConfirmed = false;
  return () => {
    if (!isConfirmed) charges.confirm(id);
    isConfirmed = true;
  };
}

/**
 * Returns a function that queues a capture and waits for it to end. If the wait ends first, the capture is dropped, or charged if an output
 * is stored.
 * @throws the errors of `CaptureJobs.submit`; the failure the capture ended with; `disconnected`'s reason; `queue_full` if it doesn't start
 *   in time; `unavailable` if it doesn't end in time.
 */
function createAwaited({ captureJobs, captureRecords, untilEnded, charges }: RemoteParts) {
  /** Resolves with true if the capture was canceled, which is possible only before it starts. */
  const cancel = ({ userId }: Caller, id: string) =>
    captureJobs.cancel({ userId }, id).then(
      () => true,
      () => false,
    );

  return async (
    caller: Caller,
    id: string,
    outputs: OutputRequest[],
    deadlineAt: number,
    disconnected: AbortSignal,
  ): Promise<FinishedCapture> => {
    const leftMs = Math.ceil(Math.max(0, deadlineAt - performance.now()));
    await captureJobs.submit(caller, { id, outputs, idempotency: undefined, isAwaited: true, webhookUrl: undefined, waitMs: leftMs });
    // A capture that hasn't started after half the time is canceled, because too little time would be left for it.
    for (const ms of [Math.ceil(leftMs / 2), Math.floor(leftMs / 2) + recordedWithinMs]) {
      const ended = await untilEnded(id, AbortSignal.any([disconnected, AbortSignal.timeout(ms)])).then(
        () => true,
        () => false,
      );
      if (disconnected.aborted) {
        if (!(await captureJobs.abandon(id, disconnected.reason))) charges.confirm(id);
        throw disconnected.reason;
      }
      if (ended) break;
      if (await cancel(caller, id))
        throw new AppError("queue_full", { message: "No browser became available in time.", retryAfterSeconds });
    }
    const find = async () => {
      const record = await captureRecords.find({ userId: caller.userId }, id);
      return { result: record && resultOf(record), screenshotId: record?.storedIds[0] };
    };
    const { result } = await find();
    if (result) return result;
    const late = new AppError("unavailable", { message: "The process that ran the capture did not finish it in time.", retryAfterSeconds });
    if (await captureJobs.abandon(id, late)) throw late;
    const { result: ended, screenshotId } = await find();
    if (ended) return ended;
    charges.confirm(id);
    const message = `The capture was not finished in time, but it is charged because an output has been stored: ${screenshotId}.`;
    throw new AppError("unavailable", { message, retryAfterSeconds, screenshotId });
  };
}

/** Returns a signal that aborts only when the caller disconnects: the capturing process enforces the deadline itself. */
function abortedBy(signal: AbortSignal): AbortSignal {
  const disconnected = new AbortController();
  onAbort(signal, () => {
    if (!(signal.reason instanceof AppError)) disconnected.abort(signal.reason);
  });
  return disconnected.signal;
}

function notKept(): AppError {
  const message = "The page was captured, but object storage didn't accept the image in time. Nothing was charged, and nothing is kept.";
  return new AppError("unavailable", { message, retryAfterSeconds: readAgainSeconds });
}
