/** Ends a wait or a stream when its signal aborts, also where the work behind it cannot be stopped. */

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

/** Destroys `stream` when `signal` aborts. An error that meets no reader yet must not end the process; readers still see it. */
export function streamUntilAborted(stream: Readable, signal: AbortSignal): Readable {
  stream.on("error", () => {});
  return addAbortSignal(signal, stream);
}
