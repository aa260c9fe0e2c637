/** Where the lines of the log go: standard output, in batches, so that requests don't wait for them. */

import { type DestinationStream, pino } from "pino";

/** Characters of a batch. */
const batchLength = 8_192;
const everyMs = 100;

export interface LogLines extends DestinationStream {
  /** Calls `done` once all lines are written. */
  flush(done: () => void): void;
  flushSync(): void;
}

/**
 * Lines are collected here, because the library's own batches measure the whole batch with each line: that takes more time than making the
 * line. What remains at the end of the process is written then.
 */
export function createLogLines(): LogLines {
  const output = pino.destination({ sync: false, minLength: 1 }) as ReturnType<typeof pino.destination> & { destroyed: boolean };
  let lines = "";
  const pass = () => {
    if (lines === "" || output.destroyed) return;
    const batch = lines;
    lines = "";
    output.write(batch);
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
      lines += line;
      if (lines.length >= batchLength) pass();
    },
    flush(done) {
      pass();
      output.flush(done);
    },
    flushSync,
  };
}
