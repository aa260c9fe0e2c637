/** Passes request bodies on in few chunks, and refuses those that arrive in very many. */

import { Transform, type TransformCallback } from "node:stream";

const joinedBytesMax = 64 * 1024;
/** The API's limits: a body may have `chunksMax` chunks of any size, plus one per `chunkBytesMin` bytes. A chunk costs several microseconds. */
const [chunksMax, chunkBytesMin] = [2_000, 64];

export class TooManyChunks extends Error {}

/** Joins the chunks that arrive in the same turn of the event loop. Its stream fails with {@link TooManyChunks}. */
export function gatherChunks(): Transform {
  let parts: Buffer[] = [];
  let [bytes, chunks, total] = [0, 0, 0];
  let isScheduled = false;
  let resume: TransformCallback | undefined;
  const pass = (stream: Transform) => {
    isScheduled = false;
    if (stream.destroyed) return;
    if (bytes > 0) stream.push(parts.length === 1 ? parts[0] : Buffer.concat(parts, bytes));
    [parts, bytes] = [[], 0];
    const next = resume;
    resume = undefined;
    next?.();
  };
  return new Transform({
    transform(chunk: Buffer, _encoding, next) {
      chunks += 1;
      total += chunk.length;
      if (chunks > chunksMax + total / chunkBytesMin) return next(new TooManyChunks("the body has too many small chunks"));
      parts.push(chunk);
      bytes += chunk.length;
      if (!isScheduled) setImmediate(pass, this);
      isScheduled = true;
      if (bytes < joinedBytesMax) next();
      else resume = next;
    },
    flush(done) {
      pass(this);
      done();
    },
  });
}
