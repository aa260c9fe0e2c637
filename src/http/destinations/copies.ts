/** Adds the current state of copies to responses. */

import type { Copy, ReadCopies } from "../../accounts/destinations/copies.ts";
import type { CaptureResult, FinishedCapture } from "../../screenshots/captures/finished-capture.ts";
import type { CaptureRecord } from "../../screenshots/queued/records.ts";
import type { TakeOptions } from "../../screenshots/take/take-options.ts";

/** A screenshot's copy at this destination; pending until the copy has been recorded. */
function copyTo(destination: string, copies: Copy[] = []): Copy {
  return copies.find((copy) => copy.destination === destination) ?? { destination, state: "pending", key: null, error: null };
}

/**
 * Returns a function that, for JSON responses, reads a screenshot's copy if a destination was requested. Reports the copy as pending if the
 * database is down.
 */
export function createCopyOf(readCopies: ReadCopies, userId: string, { destination, response_type }: TakeOptions) {
  return async (id: string): Promise<Copy | undefined> => {
    if (destination === undefined || response_type !== "json") return undefined;
    const found = await readCopies(userId, [id]).catch(() => undefined);
    return copyTo(destination, found?.get(id));
  };
}

/** Ids of the files that are copied to a destination. */
function copiedFiles({ outputs }: FinishedCapture): string[] {
  return outputs.flatMap((one) => ("files" in one && one.destination !== undefined ? one.files.map(({ id }) => id) : []));
}

/** Reads the copies of several captures in one query, for `withCopies`. Reports copies as pending if the database is down. */
export async function readTogether(readCopies: ReadCopies, userId: string, records: Pick<CaptureRecord, "result">[]): Promise<ReadCopies> {
  const results = records.flatMap(({ result }) => (result as CaptureResult | null) ?? []);
  const ids = results.flatMap((result) => ("capture" in result ? copiedFiles(result.capture) : []));
  const found = ids.length === 0 ? new Map<string, Copy[]>() : await readCopies(userId, ids).catch(() => new Map<string, Copy[]>());
  return async () => found;
}

/** Adds copies to the files of outputs that have a destination. Reports copies as pending if the database is down. */
export async function withCopies(readCopies: ReadCopies, userId: string, capture: FinishedCapture): Promise<FinishedCapture> {
  const ids = copiedFiles(capture);
  if (ids.length === 0) return capture;
  const found = await readCopies(userId, ids).catch(() => new Map<string, Copy[]>());
  return {
    ...capture,
    outputs: capture.outputs.map((one) => {
      if (!("files" in one) || one.destination === undefined) return one;
      const { destination, files } = one;
      return { ...one, files: files.map((file) => ({ ...file, copy: copyTo(destination, found.get(file.id)) })) };
    }),
  };
}
