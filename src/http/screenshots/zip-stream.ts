/** Several outputs as one zip, streamed. */

import { once } from "node:events";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { finished } from "node:stream/promises";
import { setImmediate as nextTurn } from "node:timers/promises";
import { ZipFile } from "yazl";
import { extensions, type Format, isImageFormat } from "../../formats.ts";
import { openFile } from "../../images/read-stored.ts";
import type { ImageStore } from "../../images/store.ts";
import { piecesOf } from "../../in-turns.ts";

export interface ZippedOutput {
  name: string;
  /** Of the file, with its folder; by default from name and format. */
  file?: string;
  format: Format;
  capturedAt: number;
  open: OpenBody;
  /** @param isCut whether the zip has the beginning of it. */
  onMissing(isCut: boolean): void;
}

/** Called once the files before it have been read, so that none of them waits in memory. Undefined: the file can't be read. */
export type OpenBody = () => Promise<Buffer | AsyncIterable<Buffer> | undefined>;

const description = "capture.json";
/** Windows opens devices by these names, with any extension. */
const device = /^(con|prn|aux|nul|com\d|lpt\d)[./]/i;

/** Larger files are streamed, so that slow readers occupy little memory. */
const inMemoryBytesMax = 512 * 1024;
/** After so many files in a row that can't be read, the storage is away: each further one could take its deadline. */
const failuresMax = 3;

/** Reads the files of one zip. @param stalledMs how long the storage may send nothing. @throws the reason of `signal`. */
export function createFileReader(store: Pick<ImageStore, "get">, signal: AbortSignal, stalledMs?: number) {
  let failures = 0;
  return async (key: string): Promise<Buffer | AsyncIterable<Buffer> | undefined> => {
    if (failures === failuresMax) return undefined;
    try {
      const file = await openFile(store, key, signal, stalledMs);
      const body = file && (file.bytes > inMemoryBytesMax ? file.chunks : await buffer(file.chunks));
      failures = 0;
      return body;
    } catch {
      signal.throwIfAborted();
      failures += 1;
      return undefined;
    }
  };
}

/** Names of outputs have no tilde. */
export function fileName({ name, format }: Pick<ZippedOutput, "name" | "format">): string {
  const file = `${name}.${extensions[format]}`;
  return device.test(file) || file.toLowerCase() === description ? `~${file}` : file;
}

/**
 * A file that can't be read is left out, one that can't be read to its end is cut off; `onMissing` is called for both, to be said in the
 * description.
 * @param describe the JSON that says what is in the zip, in the file `describedIn`; called when all outputs are in it.
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
      zip.addBuffer(Buffer.from(JSON.stringify(describe(), null, 2)), describedIn);
      zip.end();
    })
    .catch(fail);
  return stream;
}

async function addAll(zip: ZipFile, outputs: Iterable<ZippedOutput> | AsyncIterable<ZippedOutput>, stream: Readable): Promise<void> {
  for await (const output of outputs) {
    const file = output.file ?? fileName(output);
    const mtime = new Date(output.capturedAt);
    const body = await output.open();
    if (!body) output.onMissing(false);
    else if (Buffer.isBuffer(body) && body.length <= inMemoryBytesMax) {
      zip.addBuffer(body, file, { mtime, compress: !isImageFormat(output.format) });
      await untilRead(stream);
    } else {
      const chunks = Readable.from(untilFailure(Buffer.isBuffer(body) ? piecesOf(body) : body, () => output.onMissing(true)));
      stream.once("close", () => chunks.destroy());
      // Compressed: programs that read a zip from its start find no other end of a file of unknown size.
      zip.addReadStream(chunks, file, { mtime, compressionLevel: 1 });
      await finished(chunks);
    }
    if (stream.destroyed) return;
  }
}

/** Resolves when the reader has taken what the stream has, or has left. */
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
