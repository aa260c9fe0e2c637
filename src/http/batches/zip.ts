/** Streams a batch's files as one zip. Besides the manifest, at most one page of records and one file are in memory. */

import type { Readable } from "node:stream";
import { type FinishedCapture, resultOf } from "../../screenshots/captures/finished-capture.ts";
import { sliceName } from "../../screenshots/captures/keep-slices.ts";
import type { CaptureRecord } from "../../screenshots/queued/records.ts";
import { AppError } from "../../shared/errors.ts";
import { objectKey } from "../../storage/link.ts";
import type { ImageStore } from "../../storage/store.ts";
import { createFileReader, fileName, type ZippedOutput, zipOf } from "../captures/zip-stream.ts";
import { errorBodyOf } from "../server/error-handler.ts";

const manifestName = "manifest.json";

/** Avoids device names that are reserved on Windows. */
const folderName = (name: string) => fileName({ name: `${name}/`, format: "text" }).replace(/\/\.\w+$/, "");

interface Entry {
  id: string;
  index: number | null;
  name: string | null;
  status: string;
  /** URL of the page. */
  url?: string | undefined;
  files?: { file: string; output: string; format: string; bytes: number; error?: string }[];
  error?: object;
}

/** @param pages returns the next finished captures after the given id, or an empty list if there are no more. */
export function zipOfBatch(
  pages: (after: string | undefined) => Promise<CaptureRecord[]>,
  store: ImageStore,
  requestId: string,
  signal: AbortSignal,
): Readable {
  const manifest: Entry[] = [];
  const used = new Set([manifestName]);
  const read = createFileReader(store, signal);

  /** A name that no other capture uses for a file or folder. */
  function unique(wanted: string, index: number | null): string {
    let name = wanted;
    while (used.has(name.toLowerCase())) name = `${index}-${name}`;
    used.add(name.toLowerCase());
    return name;
  }

  async function* outputs(): AsyncGenerator<ZippedOutput> {
    for (let page = await pages(undefined); page.length > 0; page = await pages(page.at(-1)?.id)) {
      for (const record of page) {
        const { id, position: index, name, status } = record;
        const entry: Entry = { id, index, name, status };
        manifest.push(entry);
        try {
          const capture = resultOf(record);
          if (capture) yield* filesOf(entry, capture);
        } catch (error) {
          if (!(error instanceof AppError)) throw error;
          entry.error = errorBodyOf(error, requestId);
        }
      }
    }
  }

  function* filesOf(entry: Entry, { outputs }: FinishedCapture): Generator<ZippedOutput> {
    const made = outputs.flatMap((output) => ("files" in output ? [output] : []));
    const isSingle = outputs.length === 1 && made[0]?.files.length === 1;
    const folder = isSingle ? "" : `${unique(folderName(entry.name ?? entry.id), entry.index)}/`;
    entry.url = made[0]?.finalUrl;
    const files: NonNullable<Entry["files"]> = [];
    entry.files = files;
    for (const { name: output, format, capturedAt, files: ofOutput } of made)
      for (const [part, { id, y, bytes, isStored }] of ofOutput.entries()) {
        const own = y === undefined ? output : sliceName(output, part);
        const file = isSingle
          ? unique(fileName({ name: entry.name ?? entry.id, format }), entry.index)
          : folder + fileName({ name: own, format });
        const listed: (typeof files)[number] = { file, output, format, bytes };
        files.push(listed);
        const open = async () => (isStored ? await read(objectKey(id, format), bytes) : undefined);
        const onMissing = (isCut: boolean) => {
          listed.error = isCut ? "The stored file could not be read completely, so it is truncated." : "The stored file can't be read.";
        };
        yield { name: own, file, format, capturedAt, open, onMissing };
      }
  }

  return zipOf(outputs(), () => manifest, manifestName);
}
