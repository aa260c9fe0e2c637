/** Writes log lines to standard output in batches, so that requests don't wait for them. */

import { type DestinationStream, pino } from "pino";

/** Maximum size of a batch. */
const batchBytes = 8_192;
const everyMs = 100;

export interface LogLines extends DestinationStream {
  /** Calls `done` once all lines are written. */
  flush(done: () => void): void;
  flushSync(): void;
}

/** A SonicBoom that takes bytes; its type declarations mention only strings. */
interface Output {
  destroyed: boolean;
  write(bytes: Buffer): void;
  flush(done: () => void): void;
  flushSync(): void;
}

/**
 * Encodes lines immediately. The library's own batching measures and encodes the whole text several times, which takes longer than building
 * the lines. The last batch is written when the process exits.
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
      const bytesMax = 3 * line.length; // in UTF-8
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
