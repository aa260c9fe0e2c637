/** Captures by another process: queued ahead of all others, awaited, and read from the storage. */

import { buffer } from "node:stream/consumers";
import { v7 } from "uuid";
import type { Caller } from "../accounts/keys/caller.ts";
import type { CaptureRecords } from "../accounts/usage/capture-records.ts";
import type { Clock } from "../clock.ts";
import { AppError } from "../errors.ts";
import { objectKey } from "../images/object-key.ts";
import type { ImageStore } from "../images/store.ts";
import type { CaptureAndStore, Screenshot } from "./capture-and-store.ts";
import type { CaptureJobs } from "./capture-jobs.ts";
import { type FinishedCapture, type FinishedFiles, failureAgain, resultOf } from "./finished-capture.ts";

import type { TakeOutputs } from "./take-outputs.ts";
import type { OutputRequest, TakenOutput } from "./taken-outputs.ts";
import type { UntilEnded } from "./until-ended.ts";

interface RemoteParts {
  captureJobs: Pick<CaptureJobs, "submit" | "cancel">;
  captureRecords: Pick<CaptureRecords, "find">;
  untilEnded: UntilEnded;
  store: Pick<ImageStore, "get">;
  clock: Clock;
}

/** The capture ends by itself at its deadline; this long after it, its record says so. */
const recordedWithinMs = 3_000;
const openTimeoutMs = 10_000;
const retryAfterSeconds = 2;

/** The same as `createCaptureAndStore` and `createTakeOutputs`, for a process without browsers. */
export function createRemoteCapture(parts: RemoteParts): { captureAndStore: CaptureAndStore; takeOutputs: TakeOutputs } {
  const capture = createAwaited(parts);
  const read = createReader(parts);

  return {
    async captureAndStore(caller, request, { signal, deadlineAt }) {
      const alone = { ...request, options: { ...request.options, compare_to: undefined } }; // the answer compares it, or one from the cache
      const { outputs } = await capture(caller, v7(), [{ name: "screenshot", request: alone }], deadlineAt, abortedBy(signal));
      const [one] = outputs;
      if (!one || "failure" in one) throw one ? failureAgain(one.failure) : new AppError("unavailable");
      return await read(one, 0);
    },
    async takeOutputs(caller, captureId, outputs, { disconnected, deadlineAt }) {
      const finished = await capture(caller, captureId, outputs, deadlineAt, disconnected);
      const taking = finished.outputs.map(async (one): Promise<TakenOutput> => {
        if ("failure" in one) return { failure: failureAgain(one.failure) };
        const slices = await Promise.all(one.files.map(async (file, index) => ({ ...(await read(one, index)), y: file.y ?? 0 })));
        const [first] = slices;
        if (!first) return { failure: new AppError("unavailable") };
        const { width, height } = one;
        const whole = one.files[0]?.y === undefined ? {} : { slices, whole: { width, height } };
        return { screenshot: first, loadedAgain: one.loadedAgain, wasCached: one.fromCache, compared: one.comparison, ...whole };
      });
      return { outputs: await Promise.all(taking), loads: finished.loads };
    },
  };
}

/** Queues a capture, and waits for its end. */
function createAwaited({ captureJobs, captureRecords, untilEnded, clock }: RemoteParts) {
  /** True if it had not begun. */
  const cancel = ({ userId }: Caller, id: string) =>
    captureJobs.cancel({ userId }, id).then(
      () => true,
      () => false,
    );

  return async (caller: Caller, id: string, outputs: OutputRequest[], deadlineAt: number, gone: AbortSignal): Promise<FinishedCapture> => {
    const leftMs = Math.ceil(Math.max(0, deadlineAt - performance.now()));
    const endsAt = new Date(clock.now() + leftMs);
    await captureJobs.submit(caller, { id, outputs, idempotency: undefined, isAwaited: true, webhookUrl: undefined, endsAt });
    // One that begins in the second half has too little time left.
    for (const ms of [Math.ceil(leftMs / 2), Math.floor(leftMs / 2) + recordedWithinMs]) {
      const ended = await untilEnded(id, AbortSignal.any([gone, AbortSignal.timeout(ms)])).then(
        () => true,
        () => false,
      );
      if (ended) break;
      const isCanceled = await cancel(caller, id);
      gone.throwIfAborted();
      if (isCanceled) throw new AppError("queue_full", { message: "No browser became available in time.", retryAfterSeconds });
    }
    const record = await captureRecords.find({ userId: caller.userId }, id);
    const result = record && resultOf(record);
    if (!result) throw new AppError("target_timeout");
    return result;
  };
}

/** The process that captures has the same deadline; only a caller who is gone ends the wait before it. */
function abortedBy(signal: AbortSignal): AbortSignal {
  const gone = new AbortController();
  const abort = () => {
    if (!(signal.reason instanceof AppError)) gone.abort(signal.reason);
  };
  if (signal.aborted) abort();
  else signal.addEventListener("abort", abort, { once: true });
  return gone.signal;
}

function createReader({ store }: Pick<RemoteParts, "store">) {
  return async (one: FinishedFiles, index: number): Promise<Screenshot> => {
    const file = one.files[index];
    const key = file && objectKey(file.id, one.format);
    const stored = key && file.isStored ? await store.get(key, AbortSignal.timeout(openTimeoutMs)) : undefined;
    if (!file || !key || !stored) throw new AppError("unavailable", { message: "The screenshot could not be read from the storage." });
    const { queue = 0, navigate = 0, wait = 0, shoot = 0 } = one.timings;
    const { format, targetStatus, finalUrl, title, verdict, warnings, capturedAt, waitEnded, explanation } = one;
    const { id, bytes, width, height, etag } = file;
    const record = { id, format, bytes, width, height, etag, targetStatus, finalUrl, title, verdict, warnings, capturedAt };
    return {
      ...record,
      timings: { queue, navigate, wait, shoot },
      waitEnded,
      explanation,
      image: await buffer(stored.stream),
      stored: Promise.resolve(key),
    };
  };
}
