/** Creates the image store configured by `STORAGE_URL`. */

import type { BaseLogger } from "pino";
import { folderOf } from "../settings/storage-folder.ts";
import { createFileStore } from "./folder.ts";
import type { ImageStore, StorageSettings } from "./store.ts";

/**
 * A folder if `STORAGE_URL` is a `file:` URL, otherwise S3. Does not connect yet; the caller closes the store.
 * @throws {Error} if a `file:` URL names a host, can't be decoded, or doesn't name a folder.
 */
export async function createImageStore(config: StorageSettings, log: BaseLogger): Promise<ImageStore> {
  if (config.STORAGE_URL.startsWith("file:")) return createFileStore(folderOf(config.STORAGE_URL), log);
  const { createS3Store } = await import("./s3.ts"); // loaded only if needed, because the S3 client is large
  return createS3Store(config, log);
}
