/** Deadlines for work that may never settle. */

export class DeadlineExceeded extends Error {
  override readonly name = "DeadlineExceeded";
  /** @param from the party that didn't respond, such as `the database`. */
  constructor(ms: number, from?: string) {
    super(`no response${from ? ` from ${from}` : ""} within ${ms} ms`);
  }
}

/**
 * Settles as `work` does, or after `ms` milliseconds as `onTimeout` does; the work then continues and its outcome is ignored. There is no
 * deadline if `ms` is `Infinity`.
 */
export async function withDeadline<T, F>(work: Promise<T>, ms: number, onTimeout: () => F): Promise<T | F> {
  if (ms === Number.POSITIVE_INFINITY) return await work;
  const timeout = Promise.withResolvers<void>();
  const timer = setTimeout(timeout.resolve, ms);
  try {
    return await Promise.race([work, timeout.promise.then(onTimeout)]);
  } finally {
    clearTimeout(timer);
  }
}

/** Calls `listener` once `signal` aborts; immediately if it already has. The returned function removes the listener. */
export function onAbort(signal: AbortSignal, listener: () => void): () => void {
  if (signal.aborted) listener();
  else signal.addEventListener("abort", listener, { once: true });
  return () => signal.removeEventListener("abort", listener);
}

/**
 * Settles as `work` does, or rejects with the signal's reason if it aborts first; the work then continues, and its outcome is ignored.
 */
export function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = onAbort(signal, () => reject(signal.reason));
    work.then(resolve, reject).finally(stop);
  });
}

/** Settles as `work` does. If `work` hasn't settled `graceMs` after `signal` aborted, rejects with the signal's reason. */
export async function untilEnded<T>(work: Promise<T>, signal: AbortSignal, graceMs: number): Promise<T> {
  const abandoned = Promise.withResolvers<never>();
  let timer: NodeJS.Timeout | undefined;
  const stop = onAbort(signal, () => {
    timer = setTimeout(() => abandoned.reject(signal.reason), graceMs);
  });
  try {
    return await Promise.race([work, abandoned.promise]);
  } finally {
    stop();
    clearTimeout(timer);
  }
}

/**
 * Runs `work` with a signal that aborts after `ms` milliseconds, or when `signal` does. The time limit ends once `work` settles, so that a
 * stream that it opened may be read slowly; `signal` still applies.
 * @throws {DeadlineExceeded} after `ms`; `signal`'s reason; anything that `work` rejects with.
 */
export async function abortAfter<T>(ms: number, work: (signal: AbortSignal) => Promise<T>, signal?: AbortSignal): Promise<T> {
  const deadline = new AbortController();
  const timer = setTimeout(() => deadline.abort(new DeadlineExceeded(ms)), ms);
  const ending = signal ? AbortSignal.any([signal, deadline.signal]) : deadline.signal;
  try {
    return await untilAborted(work(ending), ending);
  } finally {
    clearTimeout(timer);
  }
}

/** Like `AbortSignal.timeout`, but aborts with the reason that `reason` returns. */
export function timeoutSignal(ms: number, reason: () => unknown): AbortSignal {
  const controller = new AbortController();
  setTimeout(() => controller.abort(reason()), ms).unref();
  return controller.signal;
}
