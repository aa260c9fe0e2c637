/** Writes log lines to standard output in batches, so that requests don't wait for them. */

import type { EventEmitter } from "node:events";
import { type DestinationStream, pino } from "pino";

/** Maximum size of a batch. */
const batchBytes = 8_192;
const everyMs = 100;
/** Maximum number of bytes kept while nobody reads the output; further lines are left out. */
const unreadBytesMax = 64 * 1024 * 1024;
/** Time for a thread to begin a write when the process exits: it can't be waited for. */
const beginMs = 200;
const lineFeed = 0x0a;

export interface LogLines extends DestinationStream {
  /** Calls `done` once all lines are written. */
  flush(done: () => void): void;
  flushSync(): void;
}

/** A SonicBoom that takes bytes; its type declarations mention only strings. */
interface Output extends EventEmitter<{ drain: []; drop: [Buffer] }> {
  destroyed: boolean;
  write(bytes: Buffer): void;
  flush(done: () => void): void;
  flushSync(): void;
}

/**
 * Encodes lines immediately. The library's own batching measures and encodes the whole text several times, which takes longer than building
 * the lines. The last batch is written when the process exits.
 * @param unreadMax in bytes.
 */
export function createLogLines(unreadMax = unreadBytesMax): LogLines {
  const settings = { sync: false, minLength: 1, maxLength: unreadMax, contentMode: "buffer" };
  const output = pino.destination(settings as object) as unknown as Output;
  let batch = Buffer.allocUnsafe(batchBytes);
  let used = 0;
  let isWriting = false;
  let leftOut = 0;
  const send = (bytes: Buffer) => {
    if (output.destroyed) return;
    isWriting = true;
    output.write(bytes);
  };
  const pass = () => {
    if (used === 0) return;
    send(batch.subarray(0, used));
    batch = Buffer.allocUnsafe(batchBytes);
    used = 0;
  };
  const flushSync = () => {
    pass();
    if (!output.destroyed) output.flushSync();
  };
  output.on("drop", (bytes) => {
    leftOut += bytes.reduce((count, byte) => (byte === lineFeed ? count + 1 : count), 0);
  });
  output.on("drain", () => {
    isWriting = false;
    if (leftOut === 0) return;
    const msg = `${leftOut} log lines were left out, because standard output wasn't read`;
    leftOut = 0;
    send(Buffer.from(`${JSON.stringify({ level: pino.levels.values.warn, time: Date.now(), pid: process.pid, msg })}\n`));
  });
  setInterval(pass, everyMs).unref();
  process.prependListener("beforeExit", pass);
  // Before the library's own listener, which would write what follows before the write that a thread has yet to begin.
  process.prependListener("exit", () => {
    if (isWriting) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, beginMs);
    flushSync();
  });
  return {
    write(line) {
      const bytesMax = 3 * line.length; // in UTF-8
      if (bytesMax > batchBytes - used) pass();
      if (bytesMax > batchBytes) send(Buffer.from(line));
      else used += batch.write(line, used);
    },
    flush(done) {
      pass();
      output.flush(done);
    },
    flushSync,
  };
}
