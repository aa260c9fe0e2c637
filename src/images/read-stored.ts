/** Reads stored images for as long as the storage goes on sending them. */

import { buffer } from "node:stream/consumers";
import { abortAfter, DeadlineExceeded, timeoutSignal, withDeadline } from "../deadline.ts";
import type { ImageStore } from "./store.ts";

/** How long the storage may send nothing, also until its first byte. */
const stalledDefaultMs = 10_000;
/** Connections in a row that bring fewer bytes than this; one that waits for a slow reader has brought more. */
const triesMax = 2;
const progressBytesMin = 16 * 1024;
/** Longest time of `readWhole`: a request is to end half a minute after its timeout, as the balancer in front of the service expects. */
export const readWholeMaxMs = 25_000;

type Reads = Pick<ImageStore, "get">;

interface OpenedFile {
  bytes: number;
  /**
   * To be read once. A connection that ends early is replaced by another one for the rest. Only the storage has a deadline: a reader may take
   * its time. @throws the storage's last error; {DeadlineExceeded}; the reason of the signal.
   */
  chunks: AsyncIterable<Buffer>;
}

/** Undefined: there is no such object. @throws as `chunks`. */
export async function openFile(
  store: Reads,
  key: string,
  signal: AbortSignal,
  stalledMs = stalledDefaultMs,
): Promise<OpenedFile | undefined> {
  const open = (from: number) => abortAfter(stalledMs, (opening) => store.get(key, opening, from), signal);
  const first = await open(0);
  if (!first) return undefined;
  const { bytes } = first;

  async function* chunks(): AsyncGenerator<Buffer> {
    let { stream } = first as NonNullable<typeof first>;
    let offset = 0;
    for (let tries = 1; ; tries += 1) {
      const from = offset;
      try {
        for await (const chunk of withoutStalls(stream, stalledMs)) {
          offset += chunk.length;
          yield chunk;
        }
        if (offset === bytes) return;
        throw new Error(`the storage sent ${offset} of ${bytes} bytes`);
      } catch (error) {
        signal.throwIfAborted();
        if (offset - from >= progressBytesMin) tries = 1;
        if (tries === triesMax) throw error;
        const rest = await open(offset);
        if (!rest) throw error;
        stream = rest.stream;
      }
    }
  }
  return { bytes, chunks: chunks() };
}

/** @returns undefined if there is no such object. @throws as `openFile`; {DeadlineExceeded} after `readWholeMaxMs`. */
export async function readWhole(store: Reads, key: string, signal: AbortSignal, stalledMs?: number): Promise<Buffer | undefined> {
  const late = timeoutSignal(readWholeMaxMs, () => new DeadlineExceeded(readWholeMaxMs, "the storage"));
  const file = await openFile(store, key, AbortSignal.any([signal, late]), stalledMs);
  return file && (await buffer(file.chunks));
}

async function* withoutStalls(stream: NodeJS.ReadableStream & { destroy(): void }, stalledMs: number): AsyncGenerator<Buffer> {
  const reader = stream[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await withDeadline(reader.next(), stalledMs, () => Promise.reject(new DeadlineExceeded(stalledMs, "the storage")));
      if (next.done) return;
      yield next.value as Buffer;
    }
  } finally {
    stream.destroy();
  }
}
