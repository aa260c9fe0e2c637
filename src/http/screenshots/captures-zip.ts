/** Several outputs as one zip, streamed. */

import type { Readable } from "node:stream";
import { ZipFile } from "yazl";
import { extensions, type Format, isImageFormat } from "../../formats.ts";

interface ZippedOutput {
  name: string;
  format: Format;
  /** A stream is read once its turn has come. */
  body: Buffer | Readable;
  capturedAt: number;
}

export function fileName({ name, format }: Pick<ZippedOutput, "name" | "format">): string {
  return `${name}.${extensions[format]}`;
}

/** @param description the JSON that says what is in it, as `capture.json`. */
export function zipOf(outputs: ZippedOutput[], description: object): Readable {
  const zip = new ZipFile();
  zip.addBuffer(Buffer.from(JSON.stringify(description, null, 2)), "capture.json");
  for (const output of outputs) {
    const options = { compress: !isImageFormat(output.format), mtime: new Date(output.capturedAt) };
    if (Buffer.isBuffer(output.body)) zip.addBuffer(output.body, fileName(output), options);
    else zip.addReadStream(output.body, fileName(output), options);
  }
  // An output that can't be read to its end: the answer is cut off, so that the caller notices.
  const stream = zip.outputStream as Readable;
  zip.on("error", (error: Error) => stream.destroy(error));
  zip.end();
  return stream;
}
