/** Streams several outputs as one zip. */

import { once } from "node:events";
import { Readable } from "node:stream";
import { finished } from "node:stream/promises";
import { setImmediate as nextTurn } from "node:timers/promises";
import { ZipFile } from "yazl";
import { extensions, type Format, isImageFormat, isMotionFormat } from "../../shared/formats.ts";
import { piecesOf, readInChunks } from "../../shared/turns.ts";
import { openFile } from "../../storage/read-stored.ts";
import type { ImageStore } from "../../storage/store.ts";

export interface ZippedOutput {
  name: string;
  /** Path in the zip; by default, derived from the name and the format. */
  file?: string;
  format: Format;
  capturedAt: number;
  open: OpenBody;
  /** @param isCut whether the file is truncated rather than missing. */
  onMissing(isCut: boolean): void;
}

/** Called once all preceding files have been read, so that no file waits in memory. Resolves to undefined if the file can't be read. */
export type OpenBody = () => Promise<Buffer | AsyncIterable<Buffer> | undefined>;

const description = "capture.json";
/** Windows reserves these names for devices, with any extension. */
const device = /^(con|prn|aux|nul|com\d|lpt\d)[./]/i;

/** Maximum size of a file kept in memory; larger ones are streamed, so that slow clients use little memory. */
const inMemoryBytesMax = 512 * 1024;
/** After this many consecutive failures, storage is considered unavailable: every further read might run until its deadline. */
const failuresMax = 3;

/**
 * Returns a function that reads the files of one zip, given each one's recorded size if it is known, and throws the abort reason of `signal`.
 * @param stalledMs idle timeout for reads.
 */
export function createFileReader(store: Pick<ImageStore, "get">, signal: AbortSignal, stalledMs?: number) {
  let failures = 0;
  return async (key: string, bytes?: number): Promise<Buffer | AsyncIterable<Buffer> | undefined> => {
    if (failures === failuresMax) return undefined;
    try {
      const file = await openFile(store, key, signal, { bytes, stalledMs });
      const body = file && (file.bytes > inMemoryBytesMax ? file.chunks : await readInChunks(file.chunks));
      failures = 0;
      return body;
    } catch {
      signal.throwIfAborted();
      failures += 1;
      return undefined;
    }
  };
}

/** Prefixes reserved names with a tilde, which output names can't contain. */
export function fileName({ name, format }: Pick<ZippedOutput, "name" | "format">): string {
  const file = `${name}.${extensions[format]}`;
  return device.test(file) || file.toLowerCase() === description ? `~${file}` : file;
}

/**
 * A file that can't be opened is omitted, and one that fails midway is truncated. `onMissing` is called for both, so that the zip's
 * description can mention the file.
 * @param describe returns the description of the zip, stored as JSON in `describedIn`; called after all outputs have been added.
 */
export function zipOf(
  outputs: Iterable<ZippedOutput> | AsyncIterable<ZippedOutput>,
  describe: () => object,
  describedIn: string = description,
): Readable {
  const zip = new ZipFile();
  const stream = zip.outputStream as Readable;
  const fail = (error: Error) => void stream.destroy(error);
  zip.on("error", fail);
  addAll(zip, outputs, stream)
    .then(() => {
      const described = describe();
      if (Array.isArray(described)) zip.addReadStream(Readable.from(jsonOf(described)), describedIn, { compressionLevel: 1 });
      else zip.addBuffer(Buffer.from(JSON.stringify(described, null, 2)), describedIn);
      zip.end();
    })
    .catch(fail);
  return stream;
}

/** A list as JSON, one item at a time: that of a batch may have thousands of items, of several kilobytes each. */
function* jsonOf(list: object[]): Generator<Buffer> {
  const indented = (item: object) => JSON.stringify(item, null, 2).replaceAll("\n", "\n  ");
  for (const [index, item] of list.entries()) yield Buffer.from(`${index === 0 ? "[" : ","}\n  ${indented(item)}`);
  yield Buffer.from(list.length === 0 ? "[]" : "\n]");
}

async function addAll(zip: ZipFile, outputs: Iterable<ZippedOutput> | AsyncIterable<ZippedOutput>, stream: Readable): Promise<void> {
  for await (const output of outputs) {
    const file = output.file ?? fileName(output);
    const mtime = new Date(output.capturedAt);
    const body = await output.open();
    if (!body) output.onMissing(false);
    else if (Buffer.isBuffer(body) && body.length <= inMemoryBytesMax) {
      zip.addBuffer(body, file, { mtime, compress: !isImageFormat(output.format) && !isMotionFormat(output.format) });
      await untilRead(stream);
    } else {
      const chunks = Readable.from(untilFailure(Buffer.isBuffer(body) ? piecesOf(body) : body, () => output.onMissing(true)));
      const stop = () => chunks.destroy();
      stream.once("close", stop);
      // Always compressed: streaming readers can't find the end of an uncompressed file of unknown size.
      zip.addReadStream(chunks, file, { mtime, compressionLevel: 1 });
      await finished(chunks);
      stream.off("close", stop);
    }
    if (stream.destroyed) return;
  }
}

/** Resolves when the reader has drained the stream, or has disconnected. */
async function untilRead(stream: Readable & { writableNeedDrain?: boolean }): Promise<void> {
  await nextTurn();
  if (stream.writableNeedDrain && !stream.destroyed) await Promise.race([once(stream, "drain"), once(stream, "close")]);
}

async function* untilFailure(chunks: AsyncIterable<Buffer>, onFailure: () => void): AsyncGenerator<Buffer> {
  try {
    yield* chunks;
  } catch {
    onFailure();
  }
}
