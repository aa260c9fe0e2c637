/** Chooses where images are kept. */

import type { BaseLogger } from "pino";
import { createFileStore, folderOf } from "./folder.ts";
import type { ImageStore, StorageSettings } from "./store.ts";

/**
 * The store that `STORAGE_URL` names: a folder for `file:`, else S3. Makes no connection yet; the caller closes it.
 * @throws {Error} when a `file:` address names no folder.
 */
export async function createImageStore(config: StorageSettings, log: BaseLogger): Promise<ImageStore> {
  if (config.STORAGE_URL.startsWith("file:")) return createFileStore(folderOf(config.STORAGE_URL), log);
  const { createS3Store } = await import("./s3.ts"); // only here: the client is large
  return createS3Store(config, log);
}
