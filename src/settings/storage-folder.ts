/** Reads the folder for images from `STORAGE_URL`. */

import { dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { Config } from "./config.ts";

function pathIn(url: string): string {
  try {
    return url.startsWith("file://") ? fileURLToPath(url) : decodeURIComponent(url.slice("file:".length));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const problem =
      code === "ERR_INVALID_FILE_URL_HOST"
        ? "names a host: use three slashes for a folder, such as file:///a/folder"
        : `is not a usable file URL: ${message}`;
    throw new Error(`STORAGE_URL ${problem}`, { cause: error });
  }
}

/**
 * The folder of a `file:` URL: absolute (`file:///a/b`, `file:/a/b`) or, without a slash, relative to the working directory (`file:a/b`).
 * @throws {Error} if it names a host, can't be decoded, contains a control character, or doesn't name a folder.
 */
export function folderOf(url: string): string {
  const path = pathIn(url);
  const folder = resolve(path);
  if (/\p{Cc}/u.test(path)) throw new Error("STORAGE_URL contains an encoded control character, such as %00 or %0A: remove it");
  if (path === "" || dirname(folder) === folder) throw new Error("STORAGE_URL does not name a folder: use a value such as file:/a/folder");
  return folder;
}

/** At most one sentence; none if images are stored elsewhere than in a folder. */
export function folderProblems({ STORAGE_URL = "" }: Partial<Config>): string[] {
  if (!STORAGE_URL.startsWith("file:")) return [];
  try {
    folderOf(STORAGE_URL);
    return [];
  } catch (error) {
    return [(error as Error).message];
  }
}
