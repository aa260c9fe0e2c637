/** Several outputs as one zip, streamed. */

import type { Readable } from "node:stream";
import { finished } from "node:stream/promises";
import { ZipFile } from "yazl";
import { extensions, type Format, isImageFormat } from "../../formats.ts";

export interface ZippedOutput {
  name: string;
  /** Of the file, with its folder; by default from name and format. */
  file?: string;
  format: Format;
  capturedAt: number;
  /** Called once its turn has come, so that no stream waits for those before it. Undefined: the file can't be read. */
  open(): Promise<Buffer | Readable | undefined>;
  onMissing(): void;
}

const description = "capture.json";
/** Windows opens devices by these names, with any extension. */
const device = /^(con|prn|aux|nul|com\d|lpt\d)[./]/i;

/** Names of outputs have no tilde. */
export function fileName({ name, format }: Pick<ZippedOutput, "name" | "format">): string {
  const file = `${name}.${extensions[format]}`;
  return device.test(file) || file.toLowerCase() === description ? `~${file}` : file;
}

/**
 * If a file can't be read to its end, the stream is destroyed: the answer is cut off, so that the caller notices.
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
  addAll(zip, outputs)
    .then(() => {
      zip.addBuffer(Buffer.from(JSON.stringify(describe(), null, 2)), describedIn);
      zip.end();
    })
    .catch(fail);
  return stream;
}

async function addAll(zip: ZipFile, outputs: Iterable<ZippedOutput> | AsyncIterable<ZippedOutput>): Promise<void> {
  for await (const output of outputs) {
    const file = output.file ?? fileName(output);
    const mtime = new Date(output.capturedAt);
    const body = await output.open();
    if (!body) output.onMissing();
    else if (Buffer.isBuffer(body)) zip.addBuffer(body, file, { mtime, compress: !isImageFormat(output.format) });
    else {
      // Compressed: programs that read a zip from its start find no other end of a file of unknown size.
      zip.addReadStream(body, file, { mtime, compressionLevel: 1 });
      await finished(body);
    }
  }
}
