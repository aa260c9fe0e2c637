/** Stored image and elements of a run. */

import type { ReadShot as Shot } from "../comparison/comparison.ts";
import type { Database } from "../database/database.ts";
import { AppError } from "../shared/errors.ts";
import { readInChunks } from "../shared/turns.ts";
import { objectKey } from "../storage/object-key.ts";
import type { ImageStore } from "../storage/store.ts";
import { elementsOutput, imageOutput } from "./request.ts";

/** Timeout per file, since other comparisons are waiting. */
const readTimeoutMs = 10_000;

/** `elementsId` is undefined if the elements are no longer stored. */
export interface RunShot {
  screenshotId: string;
  elementsId: string | undefined;
}

/** Undefined if the run's image is no longer stored. */
export async function findShot(database: Database, id: string): Promise<RunShot | undefined> {
  const { rows } = await database.query<{ id: string; output: string }>(
    "select id, output from screenshots where capture_id = $1 and object_key is not null",
    [id],
  );
  const screenshotId = rows.find(({ output }) => output === imageOutput)?.id;
  return screenshotId === undefined ? undefined : { screenshotId, elementsId: rows.find(({ output }) => output === elementsOutput)?.id };
}

/** Undefined if the image no longer exists. @throws {AppError} `unavailable` if storage can't be read; the reason of `signal`. */
export async function readShot(store: ImageStore, { screenshotId, elementsId }: RunShot, signal: AbortSignal): Promise<Shot | undefined> {
  const read = async (key: string) => {
    try {
      const stored = await store.get(key, AbortSignal.any([signal, AbortSignal.timeout(readTimeoutMs)]));
      return stored && (await readInChunks(stored.stream));
    } catch (cause) {
      signal.throwIfAborted();
      throw new AppError("unavailable", { cause });
    }
  };
  const [image, elements] = await Promise.all([
    read(objectKey(screenshotId, "png")),
    elementsId === undefined ? undefined : read(objectKey(elementsId, "elements")),
  ]);
  return image && ({ image, ...(elements ? { elements } : {}) } satisfies Shot);
}
