/** Stores images in the background: retries while object storage is unavailable, within a memory limit. */

import { systemClock } from "../../shared/clock.ts";
import { untilAborted } from "../../shared/deadline.ts";
import { objectKey } from "../../storage/link.ts";
import { span, tracer } from "../../telemetry/tracing.ts";
import { type ArchiveRoom, createArchiveRoom } from "./archive-room.ts";
import { createUpload, type KeptImage, keepTryingMs, type Phase, type UploadParts } from "./archive-upload.ts";

/**
 * Records the outcome of storing an image. If it resolves with false, the image is removed again.
 * @param objectKey null if the image could not be stored. @param closing aborts when shutdown begins; the call should then return soon.
 */
export type RecordOutcome = (objectKey: string | null, closing: AbortSignal) => Promise<boolean>;

export interface Archive {
  /**
   * Starts storing `image` and returns immediately. `record` is called at most `storingMaxMs` later. The promise resolves with the object
   * key after `record`; or with `null` if the image is not kept or, unless `isPatient`, once three attempts have failed. Never rejects.
   */
  keep(image: KeptImage, record: RecordOutcome): Promise<string | null>;
  /**
   * Retries every pending image immediately and waits until none is left. When `signal` aborts, the remaining images are abandoned and
   * their records written. Returns the number of abandoned images. Images passed to `keep` after the drain are abandoned immediately.
   */
  drain(signal: AbortSignal): Promise<number>;
  pending(): { count: number; bytes: number };
}

interface ArchiveParts extends UploadParts {
  /** Limit on all waiting images together. One account may use half, or more for a single image. */
  pendingBytesMax: number;
  /** Maximum time that an image with `onAdmitted` waits for room. */
  roomWaitMs?: number;
}

/** Long enough for working storage, short because the account's next captures may be refused meanwhile. */
const defaultRoomWaitMs = 30_000;
const removeTimeoutMs = 10_000;

/** Returns a function that stores an image once there is room for it. @throws why it is lost. */
function createStore(parts: ArchiveParts, room: ArchiveRoom, phase: Phase) {
  const { clock = systemClock, roomWaitMs = defaultRoomWaitMs } = parts;
  const upload = createUpload(parts, phase);
  return async (image: KeptImage, onTriesFailed: () => void): Promise<string> => {
    const giveUpAt = clock.now() + keepTryingMs;
    const { onAdmitted } = image;
    try {
      await room.enter(image, onAdmitted ? roomWaitMs : 0, phase.deadline);
    } finally {
      onAdmitted?.();
    }
    try {
      const key = objectKey(image.id, image.format);
      await upload(image, key, giveUpAt, onTriesFailed);
      return key;
    } finally {
      room.leave(image);
    }
  };
}

/**
 * Returns a function that records the outcome of storing, and removes an image that is not kept. It holds no reference to the image,
 * because recording may be slow.
 */
function createRecordOnceStored({ store, log }: Pick<ArchiveParts, "store" | "log">, closing: AbortSignal) {
  return async (imageId: string, storing: Promise<string | null>, record: RecordOutcome): Promise<string | null> => {
    const key = await storing;
    try {
      const isKept = await record(key, closing);
      if (isKept || key === null) return key;
    } catch (error) {
      log.error({ err: error, imageId }, "failed to write the record of an image");
      return key;
    }
    const failed = (error: unknown) => log.warn({ err: error, imageId }, "failed to remove the image of a refunded capture");
    await store.remove(key, AbortSignal.timeout(removeTimeoutMs)).catch(failed);
    return null;
  };
}

export function createArchive(parts: ArchiveParts): Archive {
  const { log, metrics, pendingBytesMax } = parts;
  const uploads = new Set<Promise<unknown>>();
  const closing = new AbortController();
  const deadline = new AbortController();
  const room = createArchiveRoom(pendingBytesMax);
  const store = createStore(parts, room, { closing: closing.signal, deadline: deadline.signal, waiting: () => uploads.size });
  const recordOnceStored = createRecordOnceStored(parts, closing.signal);

  async function storeOrGiveUp(image: KeptImage, onTriesFailed: () => void): Promise<string | null> {
    try {
      const key = await store(image, onTriesFailed);
      metrics.storageUploads.inc({ result: "stored" });
      return key;
    } catch (error) {
      metrics.storageUploads.inc({ result: "lost" });
      log.error({ err: error, imageId: image.id, bytes: image.bytes.length }, "failed to store an image; it is lost");
      return null;
    }
  }

  async function untilNoneIsPending(): Promise<void> {
    while (uploads.size > 0) await Promise.all(uploads);
  }

  return {
    keep(image, record) {
      const result = Promise.withResolvers<string | null>();
      const upload = recordOnceStored(
        image.id,
        traced(image, () => storeOrGiveUp(image, () => result.resolve(null))),
        record,
      );
      uploads.add(upload);
      upload.finally(() => uploads.delete(upload)).then(result.resolve);
      return result.promise;
    },
    async drain(signal) {
      closing.abort(new Error("the service is closing"));
      await untilAborted(untilNoneIsPending(), signal).catch(() => {}); // the deadline has passed
      const abandoned = uploads.size;
      deadline.abort(new Error("the service is closing"));
      if (abandoned > 0) log.warn({ abandoned }, "abandoned images that were still being stored");
      await untilNoneIsPending(); // until their records are written
      return abandoned;
    },
    pending: () => ({ count: uploads.size, bytes: room.bytes() }),
  };
}

/** @param store resolves with `null` if the image is lost. */
function traced({ id, format, bytes }: KeptImage, store: () => Promise<string | null>): Promise<string | null> {
  if (!tracer) return store();
  const facts = { "tintype.image.id": id, "tintype.image.bytes": bytes.length, "tintype.format": format };
  return span("store", facts, async (storing) => {
    const key = await store();
    if (key === null) storing.set({ "error.type": "lost" });
    return key;
  });
}
