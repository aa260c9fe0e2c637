/** Reads stored images, tolerating slow readers but not stalled storage. */

import { abortAfter, DeadlineExceeded, timeoutSignal, untilAborted, withDeadline } from "../shared/deadline.ts";
import { readInChunks } from "../shared/turns.ts";
import { DamagedFile, type ImageStore, type ReadRange } from "./store.ts";

/** Maximum time without data from storage, including before the first byte. */
const stalledDefaultMs = 10_000;
/**
 * A connection that ends early is replaced only if it was the first, or delivered at least `progressBytesMin`. A connection that ended
 * because of a slow reader has delivered more than that.
 */
const attemptsMax = 2;
const progressBytesMin = 16 * 1024;
/** Deadline for `readWhole`. The load balancer expects a response within half a minute after the request's timeout. */
export const readWholeMaxMs = 25_000;

type Reads = Pick<ImageStore, "get">;

interface ReadLimits extends Pick<ReadRange, "bytes"> {
  /** Maximum time without data from storage, in milliseconds; 10 s by default. */
  stalledMs?: number | undefined;
}

interface OpenedFile {
  bytes: number;
  /**
   * Can be read once. If the connection ends early, the rest is read over a new connection. Only reads from storage have a deadline; the
   * consumer may take its time. @throws the last storage error; {DeadlineExceeded}; the signal's reason.
   */
  chunks: AsyncIterable<Buffer>;
}

/** Undefined if there is no such object. @throws the storage error; {DeadlineExceeded}; the signal's reason. */
export async function openFile(
  store: Reads,
  key: string,
  signal: AbortSignal,
  { bytes: recorded, stalledMs = stalledDefaultMs }: ReadLimits = {},
): Promise<OpenedFile | undefined> {
  const open = (range: ReadRange) => abortAfter(stalledMs, (opening) => store.get(key, opening, range), signal);
  const first = await open({ bytes: recorded });
  if (!first) return undefined;
  const { bytes } = first;

  async function* chunks(): AsyncGenerator<Buffer> {
    let { stream } = first as NonNullable<typeof first>;
    let offset = 0;
    for (let tries = 1; ; tries += 1) {
      const from = offset;
      try {
        for await (const chunk of withoutStalls(stream, stalledMs, signal)) {
          if (offset + chunk.length > bytes) throw new DamagedFile(`object storage sent more than ${bytes} bytes`);
          offset += chunk.length;
          yield chunk;
        }
        if (offset === bytes) return;
        throw new Error(`object storage sent ${offset} of ${bytes} bytes`);
      } catch (error) {
        signal.throwIfAborted();
        if (offset - from >= progressBytesMin) tries = 1;
        if (tries === attemptsMax) throw error;
        const rest = await open({ from: offset, bytes });
        if (!rest) throw error;
        stream = rest.stream;
      }
    }
  }
  return { bytes, chunks: chunks() };
}

/** Whether storage has the object and begins to send it. @throws the storage error; {DeadlineExceeded}; the signal's reason. */
export async function canBeRead(store: Reads, key: string, signal: AbortSignal, limits: ReadLimits = {}): Promise<boolean> {
  const { bytes, stalledMs = stalledDefaultMs } = limits;
  const found = await abortAfter(stalledMs, (opening) => store.get(key, opening, { bytes }), signal);
  found?.stream.destroy();
  return found !== undefined;
}

/** @returns undefined if there is no such object. @throws the last storage error; {DeadlineExceeded}; the signal's reason. */
export async function readWhole(store: Reads, key: string, signal: AbortSignal, limits?: ReadLimits): Promise<Buffer | undefined> {
  const deadline = timeoutSignal(readWholeMaxMs, () => new DeadlineExceeded(readWholeMaxMs, "the storage"));
  const file = await openFile(store, key, AbortSignal.any([signal, deadline]), limits);
  return file && (await readInChunks(file.chunks));
}

/** Rejects when `signal` aborts, even if the storage client ignores the abort and keeps sending. */
async function* withoutStalls(
  stream: NodeJS.ReadableStream & { destroy(): void },
  stalledMs: number,
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  const reader = stream[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await withDeadline(untilAborted(reader.next(), signal), stalledMs, () =>
        Promise.reject(new DeadlineExceeded(stalledMs, "the storage")),
      );
      if (next.done) return;
      yield next.value as Buffer;
    }
  } finally {
    stream.destroy();
  }
}
