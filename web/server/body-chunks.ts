/** Joins the small chunks of request bodies, and refuses bodies that have very many. */

import { Transform } from "node:stream";

/** The API's limits: a body may have `chunksMax` chunks of any size, plus one per `chunkBytesMin` bytes. A chunk costs several microseconds. */
const [chunksMax, chunkBytesMin] = [2_000, 64];

export class TooManyChunks extends Error {}

/**
 * Passes its input on, what has arrived in one turn of the event loop as one chunk: each chunk costs a write to the API. Only what waits in
 * the stream's own buffer is joined, so a slow reader stops the sender as usual. Fails with {@link TooManyChunks}.
 */
export function joinChunks(): Transform {
  let [chunks, bytes] = [0, 0];
  const pass = (chunk: Buffer, count: number, next: (error?: Error | null) => void) => {
    chunks += count;
    bytes += chunk.length;
    if (chunks > chunksMax + bytes / chunkBytesMin) next(new TooManyChunks("the body has too many small chunks"));
    else Transform.prototype._write.call(joined, chunk, "utf8", next);
  };
  const joined = new Transform({
    transform: (chunk: Buffer, _encoding, next) => void setImmediate(next, null, chunk),
    write: (chunk: Buffer, _encoding, next) => pass(chunk, 1, next),
    writev: (all: { chunk: Buffer }[], next) => pass(Buffer.concat(all.map(({ chunk }) => chunk)), all.length, next),
  });
  return joined;
}
