/** Stores images in the background: retries while object storage is unavailable, within a memory limit. */

import { setTimeout as delay } from "node:timers/promises";
import type { BaseLogger } from "pino";
import { type Clock, systemClock } from "../../shared/clock.ts";
import { untilAborted } from "../../shared/deadline.ts";
import { contentTypes, type Format } from "../../shared/formats.ts";
import { objectKey } from "../../storage/link.ts";
import type { ImageStore } from "../../storage/store.ts";
import type { Metrics } from "../../telemetry/metrics.ts";
import { span, tracer } from "../../telemetry/tracing.ts";
import { type ArchiveRoom, createArchiveRoom } from "./archive-room.ts";

export interface KeptImage {
  /** UUIDv7. */
  id: string;
  /** Account that owns the image. */
  userId: string;
  format: Format;
  bytes: Buffer;
  /** Stored with the object; may contain any text, but no secrets. */
  metadata: Record<string, string>;
  /** Whether the promise returned by `keep` resolves only after the last attempt. Set if no caller is waiting for the image. */
  isPatient?: boolean | undefined;
  /**
   * If set, an image that exceeds a memory limit waits for others to be stored, instead of being dropped immediately. Called once the
   * image counts toward the limits or has been dropped; until then the caller limits its memory.
   */
  onAdmitted?: (() => void) | undefined;
}

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

interface ArchiveParts {
  store: ImageStore;
  log: BaseLogger;
  metrics: Pick<Metrics, "storageUploads">;
  /** Limit on all waiting images together. One account may use half, or more for a single image. */
  pendingBytesMax: number;
  clock?: Clock;
  /** Timeout for each attempt. */
  tryTimeoutMs?: number;
  /** How long an image with `onAdmitted` waits for room. */
  roomWaitMs?: number;
  /** Pauses between attempts; rejects when the signal aborts. */
  pause?: (ms: number, signal: AbortSignal) => Promise<unknown>;
}

/** How long storing is retried; longer than a storage restart or a short outage. */
const keepTryingMs = 300_000;
const defaultTryTimeoutMs = 20_000;
/** Long enough for working storage, short because the account's next captures may be refused meanwhile. */
const defaultRoomWaitMs = 30_000;
/** Longest time from `keep` to its outcome: the last attempt may start just before the end of `keepTryingMs`. */
export const storingMaxMs = keepTryingMs + defaultTryTimeoutMs;
const resolveAfterTries = 3;
const firstPauseMs = 500;
const pauseMaxMs = 15_000;
/** Limit for all waiting images together. A failed attempt costs about a millisecond of processor time. */
const attemptsPerSecondMax = 50;
const drainingPauseMaxMs = 2_000;
const removeTimeoutMs = 10_000;

/** Stores one image. @param giveUpAt time after which no attempt starts, in Unix milliseconds. @throws the last attempt's error. */
type Upload = (image: KeptImage, key: string, giveUpAt: number, onTriesFailed: () => void) => Promise<void>;

/** Archive state: `closing` aborts when a drain starts, `deadline` when it ends. */
interface Phase {
  closing: AbortSignal;
  deadline: AbortSignal;
  /** Number of images not stored yet. */
  waiting: () => number;
}

function createUpload(parts: ArchiveParts, { closing, deadline, waiting }: Phase): Upload {
  const { store, log, metrics, clock = systemClock, tryTimeoutMs = defaultTryTimeoutMs, pause = pauseFor } = parts;

  /** Quadruples with each attempt; a random factor from 0.5 to 1.5 keeps replicas from retrying in step. */
  function pauseMs(attempt: number): number {
    const grown = Math.min(firstPauseMs * 4 ** (attempt - 1), pauseMaxMs);
    const shared = (waiting() / attemptsPerSecondMax) * 1000;
    const ms = closing.aborted ? Math.min(grown, drainingPauseMaxMs) : Math.max(grown, shared);
    return ms * (0.5 + Math.random());
  }

  return async (image, key, giveUpAt, onTriesFailed) => {
    for (let attempt = 1; ; attempt += 1) {
      const signal = AbortSignal.any([deadline, AbortSignal.timeout(tryTimeoutMs)]);
      try {
        const about = { contentType: contentTypes[image.format], metadata: image.metadata };
        await untilAborted(store.put(key, image.bytes, about, signal), signal);
        if (attempt > 1) log.info({ imageId: image.id, attempt }, "an image has been stored");
        return;
      } catch (error) {
        const ms = pauseMs(attempt);
        if (deadline.aborted || clock.now() + ms > giveUpAt) throw error;
        metrics.storageUploads.inc({ result: "retried" });
        if (attempt === 1) log.warn({ err: error, imageId: image.id }, "failed to store an image; retrying");
        if (attempt === resolveAfterTries && !image.isPatient) onTriesFailed();
        // A drain cuts the pause short when it starts, and stops the attempts when it ends.
        await pause(ms, closing.aborted ? deadline : closing).catch(() => {});
        if (deadline.aborted) throw error;
      }
    }
  };
}

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

function pauseFor(ms: number, signal: AbortSignal): Promise<void> {
  return delay(ms, undefined, { signal });
}
