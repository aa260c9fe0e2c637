/** Checks and limits the responses that images are read from. */

import { pipeline, Readable, Transform } from "node:stream";
import type { GetObjectCommandOutput } from "@aws-sdk/client-s3";
import { assertSize, DamagedFile, type ReadRange, type StoredImage, streamUntilAborted } from "./store.ts";

/** @throws {DamagedFile} as `ImageStore.get` does, and if the response isn't the requested range; the response is then destroyed. */
export function imageOf(answer: GetObjectCommandOutput, range: ReadRange, signal: AbortSignal): StoredImage {
  const { Body, ContentLength: length, ContentType, ContentRange } = answer;
  const { from = 0 } = range;
  if (!(Body instanceof Readable)) throw new DamagedFile("the response has no body");
  // On an abort, the client would also end the stream, but with an error about a broken connection.
  const stream = streamUntilAborted(Body, signal);
  try {
    if (from > 0 && !ContentRange?.startsWith(`bytes ${from}-`)) throw new DamagedFile("the response isn't the requested range");
    const bytes = length === undefined ? range.bytes : from + length;
    if (typeof bytes !== "number") throw new DamagedFile("the response states no length");
    assertSize(bytes, range);
    const bounded = length === undefined ? streamUntilAborted(exactly(stream, bytes - from), signal) : stream; // HTTP keeps a stated length
    return { stream: bounded, bytes, contentType: ContentType ?? "application/octet-stream" };
  } catch (error) {
    stream.destroy();
    throw error;
  }
}

/** Passes on `bytes` bytes. The result ends with a {@link DamagedFile} if `stream` has fewer, or as soon as it has more. */
function exactly(stream: Readable, bytes: number): Readable {
  let left = bytes;
  const damaged = (how: string) => new DamagedFile(`storage sent ${how} than ${bytes} bytes`);
  const bounded = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      left -= chunk.length;
      if (left < 0) done(damaged("more"));
      else done(null, chunk);
    },
    flush: (done) => done(left > 0 ? damaged("fewer") : null),
  });
  return pipeline(stream, bounded, () => {});
}
