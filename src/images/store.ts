/** What every image store offers, wherever it keeps images. */

import { addAbortSignal, type Readable } from "node:stream";
import type { Config } from "../config.ts";

/** An image that is being read: the caller must read `stream` to its end or destroy it. */
export interface StoredImage {
  stream: Readable;
  bytes: number;
  contentType: string;
}

/** Errors that a store throws carry no secret: they may be logged. */
export interface ImageStore {
  /** Creates a missing bucket or folder if that is permitted. Never rejects: logs what is in the way. */
  prepare(signal: AbortSignal): Promise<void>;
  /** Stores `bytes` whole or not at all; an object of the same key is replaced. Tries once. */
  put(key: string, bytes: Buffer, about: { contentType: string; metadata: Record<string, string> }, signal: AbortSignal): Promise<void>;
  /** Opens an object; `undefined` when there is none. A later abort destroys the stream with an `AbortError`. */
  get(key: string, signal: AbortSignal): Promise<StoredImage | undefined>;
  /** Removes an object; removing what is not there is fine. */
  remove(key: string, signal: AbortSignal): Promise<void>;
  /** Cheap health check. @throws {Error} saying why the store cannot be used. */
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

/** Destroys `stream` when `signal` aborts. An error that no reader listens for must not end the process; readers still get it. */
export function streamUntilAborted(stream: Readable, signal: AbortSignal): Readable {
  stream.on("error", () => {});
  return addAbortSignal(signal, stream);
}
