/** Interface of image stores. */

import { addAbortSignal, type Readable } from "node:stream";
import type { Config } from "../settings/config.ts";
import { abortAfter } from "../shared/deadline.ts";
import { AppError } from "../shared/errors.ts";

/** An opened image: the caller must read `stream` to its end or destroy it. */
export interface StoredImage {
  stream: Readable;
  /** Size of the whole image, even if the stream starts later. */
  bytes: number;
  contentType: string;
}

/** Storage answered, but not with the file of the record. The message has no secrets. */
export class DamagedFile extends Error {
  override readonly name = "DamagedFile";
}

/** What a read knows of its object. */
export interface ReadRange {
  /** Offset of the first byte to read, 0 by default. */
  from?: number;
  /** Size of the whole object according to its record; undefined or null if unknown. */
  bytes?: number | null | undefined;
}

/** A store's errors contain no secrets and may be logged. */
export interface ImageStore {
  /** Creates a missing bucket or folder if permitted. Logs problems instead of rejecting. */
  prepare(signal: AbortSignal): Promise<void>;
  /**
   * Stores `bytes` completely or not at all, in one attempt; replaces an object with the same key. `metadata` is for operators: a store
   * may drop it.
   */
  put(key: string, bytes: Buffer, about: { contentType: string; metadata: Record<string, string> }, signal: AbortSignal): Promise<void>;
  /**
   * Opens an object; undefined if there is none. The stream never has more than the image's `bytes`; with fewer it ends with an error. A
   * later abort destroys it with an `AbortError`.
   * @throws {DamagedFile} if the object's size isn't that of its record; also if neither storage nor the record states a size.
   */
  get(key: string, signal: AbortSignal, range?: ReadRange): Promise<StoredImage | undefined>;
  /** Removes an object; succeeds if there is none. */
  remove(key: string, signal: AbortSignal): Promise<void>;
  /** A cheap health check. @throws {Error} stating why the store is not usable. */
  check(signal: AbortSignal): Promise<void>;
  close(): void;
}

export type StorageSettings = Pick<
  Config,
  | "STORAGE_URL"
  | "STORAGE_ENDPOINT"
  | "STORAGE_BUCKET"
  | "STORAGE_REGION"
  | "STORAGE_ACCESS_KEY_ID"
  | "STORAGE_SECRET_ACCESS_KEY"
  | "STORAGE_USE_PATH_STYLE_ENDPOINT"
>;

/** @throws {DamagedFile} if the object's size isn't that of its record. */
export function assertSize(bytes: number, { bytes: recorded }: ReadRange): void {
  if (bytes !== (recorded ?? bytes)) throw new DamagedFile(`the stored file has ${bytes} bytes instead of ${recorded}`);
}

/** Destroys `stream` when `signal` aborts. The listener keeps an error from ending the process; readers still receive it. */
export function streamUntilAborted(stream: Readable, signal: AbortSignal): Readable {
  stream.on("error", () => {});
  return addAbortSignal(signal, stream);
}

const timeoutMs = 10_000;

/** The deadline applies to obtaining the result; reading a stream from it may take longer. @throws {AppError} `unavailable`. */
export async function callStore<T>(call: (signal: AbortSignal) => Promise<T>): Promise<T> {
  return await abortAfter(timeoutMs, call).catch((cause) => {
    throw new AppError("unavailable", { retryAfterSeconds: 5, cause });
  });
}
