/** Refuses request bodies in very many small chunks. */

import { Transform } from "node:stream";

/** The API's limits: a body may have `chunksMax` chunks of any size, plus one per `chunkBytesMin` bytes. A chunk costs several microseconds. */
const [chunksMax, chunkBytesMin] = [2_000, 64];

export class TooManyChunks extends Error {}

/** Passes its input on. Fails with {@link TooManyChunks}. */
export function limitChunks(): Transform {
  let [chunks, bytes] = [0, 0];
  return new Transform({
    transform(chunk: Buffer, _encoding, next) {
      chunks += 1;
      bytes += chunk.length;
      if (chunks > chunksMax + bytes / chunkBytesMin) next(new TooManyChunks("the body has too many small chunks"));
      else next(null, chunk);
    },
  });
}
