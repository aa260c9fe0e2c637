/** Files of captures that another process stored. */

import { AppError } from "../../shared/errors.ts";
import { objectKey } from "../../storage/link.ts";
import { canBeRead, readWhole } from "../../storage/read-stored.ts";
import type { ImageStore } from "../../storage/store.ts";
import { type FinishedFiles, storedEntryOf } from "../captures/finished-capture.ts";
import type { TakenOutput } from "../captures/taken-outputs.ts";
import type { Screenshot } from "../take/capture-and-store.ts";

export const readAgainSeconds = 5;

/** A file that can't be sent, and the failure to report to the caller. If `isStored`, the file is stored, and only reading it failed. */
export interface Unread {
  unread: AppError;
  isStored: boolean;
}

interface StoreParts {
  store: Pick<ImageStore, "get">;
}

/** Returns a function that reads the first file of an output and never rejects. */
export function createReader({ store }: StoreParts) {
  return async (one: FinishedFiles, disconnected: AbortSignal): Promise<Screenshot | Unread> => {
    const [file] = one.files;
    if (!file) return { unread: new AppError("unavailable"), isStored: false };
    const { id, bytes, width, height, etag, isStored } = file;
    const key = objectKey(id, one.format);
    if (!isStored) return notStored(id);
    const image = await readWhole(store, key, disconnected, { bytes }).catch((cause: unknown) => ({ cause }));
    if (!image) return { unread: unreadable(id, gone), isStored };
    if ("cause" in image) return { unread: unreadable(id, image.cause), isStored };
    const { format, targetStatus, finalUrl, title, verdict, warnings, capturedAt, waitEnded, explanation } = one;
    const record = { id, format, bytes, width, height, etag, targetStatus, finalUrl, title, verdict, warnings, capturedAt };
    return { ...record, timings: timingsOf(one), waitEnded, explanation, image, stored: Promise.resolve(key) };
  };
}

/**
 * Returns a function that checks whether storage delivers an output's files. It doesn't read them, because together they may have hundreds
 * of megabytes, and most responses only have links to them. Never rejects.
 */
export function createCheck({ store }: StoreParts) {
  return async (one: FinishedFiles, disconnected: AbortSignal): Promise<TakenOutput | Unread> => {
    const { fromCache, waitEnded, explanation, loadedAgain, comparison: compared } = one;
    const entry = storedEntryOf(one);
    if (!entry) return notStored(one.files.find(({ isStored }) => !isStored)?.id);
    if (fromCache) return { entry, compared };
    const checks = one.files.map(async ({ id, bytes }) => {
      const isReadable = await canBeRead(store, objectKey(id, one.format), disconnected, { bytes }).catch((cause: unknown) => ({ cause }));
      return isReadable === true ? undefined : { unread: unreadable(id, isReadable ? isReadable.cause : gone), isStored: true };
    });
    const unread = (await Promise.all(checks)).find((check) => check !== undefined);
    if (unread) return unread;
    return { entry, captured: { timings: timingsOf(one), waitEnded, explanation, loadedAgain }, compared };
  };
}

function timingsOf({ timings: { queue = 0, navigate = 0, wait = 0, shoot = 0 } }: FinishedFiles) {
  return { queue, navigate, wait, shoot };
}

const gone = new Error("the file is not stored");

function notStored(id = ""): Unread {
  return { unread: unreadable(id, new Error("the file was not stored in time")), isStored: false };
}

/** The message names the id, so that the caller can fetch the screenshot once object storage works again. */
function unreadable(screenshotId: string, cause: unknown): AppError {
  const message = `The output was captured as ${screenshotId}, but object storage can't deliver it at the moment.`;
  return new AppError("unavailable", { message, retryAfterSeconds: readAgainSeconds, screenshotId, cause });
}
