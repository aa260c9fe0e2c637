/** The face of every place where pictures can be kept, and the choice between them. */

import type { Readable } from "node:stream";
import type { BaseLogger } from "pino";
import type { Config } from "../config.ts";
import { createFileStore, folderOf } from "./folder.ts";

/** A picture that is being read: whoever got it must read it to its end or destroy `stream`. */
export interface StoredImage {
  stream: Readable;
  bytes: number;
  contentType: string;
}

/** Errors that a store throws carry no secret: they may be logged as they are. */
export interface ImageStore {
  /** Makes the bucket or folder when it is missing and that is permitted. Never rejects: logs what is in the way. */
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

/**
 * The store that `STORAGE_URL` names: a folder for `file:`, else S3. Connects to nothing yet; the caller closes it.
 * @throws {Error} when a `file:` address names no folder.
 */
export async function createImageStore(config: StorageSettings, log: BaseLogger): Promise<ImageStore> {
  if (config.STORAGE_URL.startsWith("file:")) return createFileStore(folderOf(config.STORAGE_URL), log);
  const { createS3Store } = await import("./s3.ts"); // only here: the client is large
  return createS3Store(config, log);
}
