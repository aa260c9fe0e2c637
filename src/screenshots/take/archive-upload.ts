/** Uploads an image to storage, and tries again while that fails. */

import { setTimeout as delay } from "node:timers/promises";
import type { BaseLogger } from "pino";
import { type Clock, systemClock } from "../../shared/clock.ts";
import { untilAborted } from "../../shared/deadline.ts";
import { contentTypes, type Format } from "../../shared/formats.ts";
import type { ImageStore } from "../../storage/store.ts";
import type { Metrics } from "../../telemetry/metrics.ts";

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

export interface UploadParts {
  store: ImageStore;
  log: BaseLogger;
  metrics: Pick<Metrics, "storageUploads">;
  clock?: Clock;
  /** Timeout for each attempt. */
  tryTimeoutMs?: number;
  /** Pauses between attempts; rejects when the signal aborts. */
  pause?: (ms: number, signal: AbortSignal) => Promise<unknown>;
}

/** Maximum time for retries; longer than a storage restart or a short outage. */
export const keepTryingMs = 300_000;
const defaultTryTimeoutMs = 20_000;
/** Longest time from `keep` to its outcome: the last attempt may start just before the end of `keepTryingMs`. */
export const storingMaxMs = keepTryingMs + defaultTryTimeoutMs;
const resolveAfterTries = 3;
const firstPauseMs = 500;
const pauseMaxMs = 15_000;
/** Limit for all waiting images together. A failed attempt costs about a millisecond of processor time. */
const attemptsPerSecondMax = 50;
const drainingPauseMaxMs = 2_000;

/** Stores one image. @param giveUpAt time after which no attempt starts, in Unix milliseconds. @throws the last attempt's error. */
type Upload = (image: KeptImage, key: string, giveUpAt: number, onTriesFailed: () => void) => Promise<void>;

/** Archive state: `closing` aborts when a drain starts, `deadline` when it ends. */
export interface Phase {
  closing: AbortSignal;
  deadline: AbortSignal;
  /** Number of images not stored yet. */
  waiting: () => number;
}

export function createUpload(parts: UploadParts, { closing, deadline, waiting }: Phase): Upload {
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

function pauseFor(ms: number, signal: AbortSignal): Promise<void> {
  return delay(ms, undefined, { signal });
}
