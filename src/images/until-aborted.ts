/** Ends a wait or a stream when its signal aborts or its time is over, also where the work behind it cannot be stopped. */

import { addAbortSignal, type Readable } from "node:stream";

/** Settles as `work` does, unless `signal` aborts first; then rejects with the signal's reason and lets `work` finish unheard. */
export function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const leave = () => reject(signal.reason);
    signal.addEventListener("abort", leave, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", leave));
    if (signal.aborted) leave();
  });
}

/**
 * What `work` comes to within `timeoutMs`. The signal that it is given aborts then, or with `outer`; once the work is done it aborts with
 * `outer` only, so that a stream which was opened in time is read as slowly as its reader likes.
 */
export async function inTime<T>(work: (signal: AbortSignal) => Promise<T>, timeoutMs: number, outer?: AbortSignal): Promise<T> {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(new Error(`there was no answer within ${timeoutMs} ms`)), timeoutMs);
  const signal = outer ? AbortSignal.any([outer, late.signal]) : late.signal;
  try {
    return await untilAborted(work(signal), signal);
  } finally {
    clearTimeout(timer);
  }
}

/** Destroys `stream` when `signal` aborts. An error that meets no reader yet must not end the process; readers still see it. */
export function streamUntilAborted(stream: Readable, signal: AbortSignal): Readable {
  stream.on("error", () => {});
  return addAbortSignal(signal, stream);
}
