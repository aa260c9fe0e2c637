/** Ends the reading of an image when its caller no longer wants it. */

import { addAbortSignal, type Readable } from "node:stream";

/** Destroys `stream` when `signal` aborts. An error that no reader listens for must not end the process; readers still get it. */
export function streamUntilAborted(stream: Readable, signal: AbortSignal): Readable {
  stream.on("error", () => {});
  return addAbortSignal(signal, stream);
}
