/** Where the lines of the log go: standard output, in batches, so that requests don't wait for them. */

import { type DestinationStream, pino } from "pino";

/** Bytes of a batch. */
const batchBytes = 8_192;
const everyMs = 100;

export interface LogLines extends DestinationStream {
  /** Calls `done` once all lines are written. */
  flush(done: () => void): void;
  flushSync(): void;
}

/** A SonicBoom that takes bytes; its types know only text. */
interface Output {
  destroyed: boolean;
  write(bytes: Buffer): void;
  flush(done: () => void): void;
  flushSync(): void;
}

/**
 * Each line becomes bytes at once. The library's own batches measure and encode their whole text several times, which takes longer than
 * making the lines. What remains at the end of the process is written then.
 */
export function createLogLines(): LogLines {
  const output = pino.destination({ sync: false, minLength: 1, contentMode: "buffer" } as object) as unknown as Output;
  let batch = Buffer.allocUnsafe(batchBytes);
  let used = 0;
  const pass = () => {
    if (used === 0 || output.destroyed) return;
    output.write(batch.subarray(0, used));
    batch = Buffer.allocUnsafe(batchBytes);
    used = 0;
  };
  const flushSync = () => {
    pass();
    if (!output.destroyed) output.flushSync();
  };
  setInterval(pass, everyMs).unref();
  process.prependListener("beforeExit", pass);
  process.on("exit", flushSync);
  return {
    write(line) {
      const bytesMax = 3 * line.length; // of UTF-8
      if (bytesMax > batchBytes - used) pass();
      if (bytesMax > batchBytes) {
        if (!output.destroyed) output.write(Buffer.from(line));
      } else used += batch.write(line, used);
    },
    flush(done) {
      pass();
      output.flush(done);
    },
    flushSync,
  };
}
