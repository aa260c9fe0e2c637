/** Runs captures on another process: queued ahead of all others, awaited, and read from object storage. */

import { v7 } from "uuid";
import type { Caller } from "../../accounts/keys/caller.ts";
import type { Answers } from "../../accounts/usage/answers.ts";
import { onAbort } from "../../shared/deadline.ts";
import { AppError, ClientGone } from "../../shared/errors.ts";
import { objectKey } from "../../storage/link.ts";
import { readWhole, readWholeMaxMs } from "../../storage/read-stored.ts";
import type { ImageStore } from "../../storage/store.ts";
import { type FinishedCapture, type FinishedFiles, failureAgain, resultOf } from "../captures/finished-capture.ts";
import type { TakeOutputs } from "../captures/take-outputs.ts";
import type { OutputRequest, TakenOutput } from "../captures/taken-outputs.ts";
import type { CaptureAndStore, OnAnswered, Screenshot } from "../take/capture-and-store.ts";
import type { CaptureJobs } from "./jobs.ts";
import type { CaptureRecords } from "./records.ts";
import type { UntilEnded } from "./until-ended.ts";

interface RemoteParts {
  captureJobs: Pick<CaptureJobs, "submit" | "cancel" | "abandon">;
  captureRecords: Pick<CaptureRecords, "find">;
  untilEnded: UntilEnded;
  answers: Answers;
  store: Pick<ImageStore, "get">;
}

/** Maximum delay between a capture's deadline and the record of its end. */
const recordedWithinMs = 3_000;
/** Time after the deadline during which a capture that finished in time is still read and delivered. */
export const remoteGraceMs = recordedWithinMs + readWholeMaxMs;
const retryAfterSeconds = 2;
const readAgainSeconds = 5;

/**
 * `createCaptureAndStore` and `createTakeOutputs` for a process without browsers. A capture is charged once `onAnswered` is called. If
 * nothing of it can be sent it is refunded, and kept only if it was stored in time: a caller can make the time too short for an upload, but
 * can't make storage unavailable.
 */
export function createRemoteCapture(parts: RemoteParts): { captureAndStore: CaptureAndStore; takeOutputs: TakeOutputs } {
  const { answers } = parts;
  const capture = createAwaited(parts);
  const read = createReader(parts);

  /** A capture that finished although its caller left is charged as if it had been sent: its files are kept. */
  const throwIfDisconnected = (id: string, disconnected: AbortSignal) => {
    if (!disconnected.aborted) return;
    answers.confirm(id);
    throw disconnected.reason;
  };

  return {
    async captureAndStore(caller, request, { signal, deadlineAt }) {
      const id = v7();
      const disconnected = abortedBy(signal);
      const alone = { ...request, options: { ...request.options, compare_to: undefined } }; // compared later, like a cached one
      const { outputs } = await capture(caller, id, [{ name: "screenshot", request: alone }], deadlineAt, disconnected);
      const [one] = outputs;
      if (!one || "failure" in one) throw one ? failureAgain(one.failure) : new AppError("unavailable");
      const screenshot = await read(one, 0, disconnected).catch(async (error) => {
        throwIfDisconnected(id, disconnected);
        throw (await giveUp(answers, id, [error]))[0];
      });
      throwIfDisconnected(id, disconnected);
      return { ...screenshot, onAnswered: confirmOnce(answers, id) };
    },
    async takeOutputs(caller, captureId, outputs, { disconnected, deadlineAt }) {
      const finished = await capture(caller, captureId, outputs, deadlineAt, disconnected);
      const taking = finished.outputs.map(async (one): Promise<TakenOutput> => {
        if ("failure" in one) return { failure: failureAgain(one.failure) };
        try {
          const slices = await Promise.all(
            one.files.map(async (file, index) => ({ ...(await read(one, index, disconnected)), y: file.y ?? 0 })),
          );
          const [first] = slices;
          if (!first) throw new AppError("unavailable");
          const { width, height } = one;
          const whole = one.files[0]?.y === undefined ? {} : { slices, whole: { width, height } };
          return { screenshot: first, loadedAgain: one.loadedAgain, wasCached: one.fromCache, compared: one.comparison, ...whole };
        } catch (failure) {
          return { failure };
        }
      });
      const taken = await Promise.all(taking);
      throwIfDisconnected(captureId, disconnected);
      if (taken.some((one) => !("failure" in one)))
        return { outputs: taken, loads: finished.loads, onAnswered: confirmOnce(answers, captureId) };
      const failures = await giveUp(
        answers,
        captureId,
        taken.map((one) => "failure" in one && one.failure),
      );
      return { outputs: failures.map((failure) => ({ failure })), loads: finished.loads };
    },
  };
}

/** Ends a capture none of whose outputs can be sent. Resolves with the failures to report to the caller. */
async function giveUp(answers: Answers, id: string, failures: unknown[]): Promise<unknown[]> {
  const isUnread = (one: unknown): one is AppError => one instanceof AppError && one.screenshotId !== undefined;
  if (failures.some((one) => isUnread(one) && one.cause !== notStored)) {
    await answers.release(id);
    return failures;
  }
  await answers.drop(id);
  return failures.map((one) => (isUnread(one) ? notKept() : one));
}

/** Several responses may share a capture; only the first one counts. */
function confirmOnce(answers: Answers, id: string): OnAnswered {
  let isConfirmed = false;
  return () => {
    if (!isConfirmed) answers.confirm(id);
    isConfirmed = true;
  };
}

/**
 * Queues a capture and waits for its end. @throws the reason of `disconnected`; the capture is then not charged unless it had already
 * ended, or one of its outputs was stored.
 */
function createAwaited({ captureJobs, captureRecords, untilEnded, answers }: RemoteParts) {
  /** True if it had not started. */
  const cancel = ({ userId }: Caller, id: string) =>
    captureJobs.cancel({ userId }, id).then(
      () => true,
      () => false,
    );

  /**
   * Ends a capture that is late or whose caller has left, and throws `error`; returns if a late capture has ended after all. The capture is
   * charged if the caller may have read one of its outputs.
   */
  async function abandon(id: string, error: unknown): Promise<void> {
    const isAbandoned = await captureJobs.abandon(id, error);
    if (!isAbandoned && error instanceof ClientGone) answers.confirm(id);
    if (isAbandoned || error instanceof ClientGone) throw error;
  }

  return async (
    caller: Caller,
    id: string,
    outputs: OutputRequest[],
    deadlineAt: number,
    disconnected: AbortSignal,
  ): Promise<FinishedCapture> => {
    const leftMs = Math.ceil(Math.max(0, deadlineAt - performance.now()));
    await captureJobs.submit(caller, { id, outputs, idempotency: undefined, isAwaited: true, webhookUrl: undefined, waitMs: leftMs });
    // A capture that starts in the second half of its time would have too little left, so it is canceled halfway through.
    for (const ms of [Math.ceil(leftMs / 2), Math.floor(leftMs / 2) + recordedWithinMs]) {
      const ended = await untilEnded(id, AbortSignal.any([disconnected, AbortSignal.timeout(ms)])).then(
        () => true,
        () => false,
      );
      if (disconnected.aborted) await abandon(id, disconnected.reason);
      if (ended) break;
      if (await cancel(caller, id))
        throw new AppError("queue_full", { message: "No browser became available in time.", retryAfterSeconds });
    }
    const find = async () => {
      const record = await captureRecords.find({ userId: caller.userId }, id);
      return record && resultOf(record);
    };
    const result = await find();
    if (result) return result;
    await abandon(
      id,
      new AppError("unavailable", { message: "The process that ran the capture did not finish it in time.", retryAfterSeconds }),
    );
    const late = await find();
    if (!late) throw new AppError("unavailable", { retryAfterSeconds });
    return late;
  };
}

/** Aborts only when the caller disconnects: the capturing process enforces the deadline itself. */
function abortedBy(signal: AbortSignal): AbortSignal {
  const disconnected = new AbortController();
  onAbort(signal, () => {
    if (!(signal.reason instanceof AppError)) disconnected.abort(signal.reason);
  });
  return disconnected.signal;
}

function createReader({ store }: Pick<RemoteParts, "store">) {
  return async (one: FinishedFiles, index: number, disconnected: AbortSignal): Promise<Screenshot> => {
    const file = one.files[index];
    if (!file) throw new AppError("unavailable");
    const key = objectKey(file.id, one.format);
    if (!file.isStored) throw unreadable(file.id, notStored);
    const image = await readWhole(store, key, disconnected).catch((cause) => Promise.reject(unreadable(file.id, cause)));
    if (!image) throw unreadable(file.id, new Error("it is not stored"));
    const { queue = 0, navigate = 0, wait = 0, shoot = 0 } = one.timings;
    const { format, targetStatus, finalUrl, title, verdict, warnings, capturedAt, waitEnded, explanation } = one;
    const { id, bytes, width, height, etag } = file;
    const record = { id, format, bytes, width, height, etag, targetStatus, finalUrl, title, verdict, warnings, capturedAt };
    return { ...record, timings: { queue, navigate, wait, shoot }, waitEnded, explanation, image, stored: Promise.resolve(key) };
  };
}

const notStored = new Error("object storage didn't accept the image in time");

/** The message names the id, so that the caller can fetch the screenshot once object storage works again. */
function unreadable(screenshotId: string, cause: unknown): AppError {
  const message = `The output was captured as ${screenshotId}, but object storage can't deliver it at the moment.`;
  return new AppError("unavailable", { message, retryAfterSeconds: readAgainSeconds, screenshotId, cause });
}

function notKept(): AppError {
  const message = "The page was captured, but object storage didn't accept the image in time. Nothing was charged, and nothing is kept.";
  return new AppError("unavailable", { message, retryAfterSeconds: readAgainSeconds, cause: notStored });
}
