/** Stores pictures beside the response: in the background, with retries, within a bound of memory. */

import { setTimeout as delay } from "node:timers/promises";
import type { BaseLogger } from "pino";
import type { Metrics } from "../metrics.ts";
import { contentTypes, type ImageFormat, objectKey } from "./object-key.ts";
import type { ImageStore } from "./store.ts";
import { untilAborted } from "./until-aborted.ts";

/** A fresh picture. */
export interface KeptImage {
  /** UUIDv7 */
  id: string;
  format: ImageFormat;
  bytes: Buffer;
  /** Stored with the object; may hold any text, but never a secret. */
  metadata: Record<string, string>;
}

export interface Archive {
  /**
   * Starts to store `image` and returns at once; `onDone` then gets its object key, or `null` when it could not be stored.
   * The promise is for who wants to wait: it has the same outcome, settles after `onDone` and never rejects.
   */
  keep(image: KeptImage, onDone: (objectKey: string | null) => Promise<void>): Promise<string | null>;
  /** Waits until nothing is pending; when `signal` aborts, gives the rest up. Returns how many were abandoned. Final: what comes later is given up at once. */
  drain(signal: AbortSignal): Promise<number>;
  pending(): { count: number; bytes: number };
}

interface ArchiveParts {
  store: ImageStore;
  log: BaseLogger;
  metrics: Pick<Metrics, "storageUploads">;
  /** Bytes of pictures that may wait for the storage; beyond them new ones are given up. */
  pendingBytesMax: number;
  /** Time limit of each try. */
  tryTimeoutMs?: number;
  /** Pauses between tries. */
  pause?: (ms: number, signal: AbortSignal) => Promise<unknown>;
}

const triesMax = 3;
const firstPauseMs = 500;

export function createArchive(parts: ArchiveParts): Archive {
  const { store, log, metrics, pendingBytesMax, tryTimeoutMs = 20_000, pause = pauseFor } = parts;
  const uploads = new Set<Promise<unknown>>();
  const givingUp = new AbortController();
  let pendingBytes = 0;

  /** @throws what the last try threw. */
  async function upload(image: KeptImage, key: string): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      const signal = AbortSignal.any([givingUp.signal, AbortSignal.timeout(tryTimeoutMs)]);
      try {
        const about = { contentType: contentTypes[image.format], metadata: image.metadata };
        return await untilAborted(store.put(key, image.bytes, about, signal), signal);
      } catch (error) {
        if (attempt === triesMax || givingUp.signal.aborted) throw error;
        metrics.storageUploads.inc({ result: "retried" });
        log.warn({ err: error, imageId: image.id, attempt }, "a picture could not be stored yet");
        await pause(pauseMs(attempt), givingUp.signal);
      }
    }
  }

  async function storeOrGiveUp(image: KeptImage): Promise<string | null> {
    try {
      if (pendingBytes > pendingBytesMax) throw new Error("too many bytes wait for the storage");
      const key = objectKey(image.id, image.format);
      await upload(image, key);
      metrics.storageUploads.inc({ result: "stored" });
      return key;
    } catch (error) {
      metrics.storageUploads.inc({ result: "lost" });
      log.error({ err: error, imageId: image.id, bytes: image.bytes.length }, "a picture could not be stored and is lost");
      return null;
    }
  }

  async function keepAndTell(image: KeptImage, onDone: (objectKey: string | null) => Promise<void>): Promise<string | null> {
    pendingBytes += image.bytes.length;
    const outcome = await storeOrGiveUp(image);
    pendingBytes -= image.bytes.length;
    try {
      await onDone(outcome);
    } catch (error) {
      log.error({ err: error, imageId: image.id }, "a picture's record could not be written");
    }
    return outcome;
  }

  return {
    keep(image, onDone) {
      const upload = keepAndTell(image, onDone);
      uploads.add(upload);
      upload.finally(() => uploads.delete(upload));
      return upload;
    },
    async drain(signal) {
      try {
        while (uploads.size > 0) await untilAborted(Promise.all(uploads), signal);
      } catch {
        // the time is up
      }
      const abandoned = uploads.size;
      givingUp.abort(new Error("the service is closing"));
      if (abandoned > 0) log.warn({ abandoned }, "pictures that were still being stored are abandoned");
      return abandoned;
    },
    pending: () => ({ count: uploads.size, bytes: pendingBytes }),
  };
}

/** Grows fourfold, half to one and a half of it, so that replicas do not come back in step. */
function pauseMs(attempt: number): number {
  return firstPauseMs * 4 ** (attempt - 1) * (0.5 + Math.random());
}

function pauseFor(ms: number, signal: AbortSignal): Promise<void> {
  return delay(ms, undefined, { signal });
}
