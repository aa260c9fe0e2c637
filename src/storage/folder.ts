/** Stores images in a local folder: `<folder>/<key>` holds exactly the image's bytes. */

import { randomUUID } from "node:crypto";
import { access, constants, type FileHandle, mkdir, open, readdir, rename, rm, stat, statfs } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { BaseLogger } from "pino";
import { contentTypeOf } from "./link.ts";
import { assertSize, type ImageStore, type ReadRange, type StoredImage, streamUntilAborted } from "./store.ts";

/** Age above which a partial file must be from a crashed process rather than a running upload. */
const abandonedAfterMs = 60 * 60 * 1000;
/** With less free space, the disk is considered full. */
const freeBytesMin = 1024 * 1024;
/** Path segments of lower-case letters, digits, dots, hyphens and underscores; none begins with a dot. */
const keyPattern = /^[a-z0-9][a-z0-9._-]*(\/[a-z0-9][a-z0-9._-]*)*$/;
const notUsable = "the image folder is not usable: create it, or grant the user that runs the service write permission";

/**
 * Keys must be lower-case paths like those from `objectKey`. The content type is derived from the key. Metadata is not stored, because the
 * database has it.
 * @param folder absolute; need not exist yet. Everything in it is readable only by this user.
 */
export function createFileStore(folder: string, log: BaseLogger): ImageStore {
  const incoming = join(folder, ".incoming");

  return {
    async prepare(signal) {
      try {
        await createFolder(incoming);
        await removeAbandoned(incoming, signal);
      } catch (error) {
        if (!signal.aborted) log.error({ err: error, folder }, notUsable);
      }
    },
    async put(key, bytes, _about, signal) {
      signal.throwIfAborted();
      const path = pathOf(folder, key);
      const partial = join(incoming, randomUUID());
      try {
        await inFolder(incoming, () => writeDurably(partial, bytes, signal));
        await inFolder(dirname(path), () => rename(partial, path));
      } catch (error) {
        await rm(partial, { force: true });
        throw error;
      }
    },
    async get(key, signal, range = {}) {
      signal.throwIfAborted();
      const file = await openIfPresent(pathOf(folder, key));
      return file && (await opened(file, contentTypeOf(key), signal, range));
    },
    async remove(key, signal) {
      signal.throwIfAborted();
      await rm(pathOf(folder, key), { force: true });
    },
    async check(signal) {
      signal.throwIfAborted();
      if (!(await stat(folder)).isDirectory()) throw new Error("the image folder is not a directory");
      await access(folder, constants.R_OK | constants.W_OK | constants.X_OK);
      const { bavail, bsize } = await statfs(folder);
      if (bavail * bsize < freeBytesMin) throw new Error("the image folder's disk is full");
    },
    close() {},
  };
}

/** @throws {TypeError} for a key that isn't a lower-case path of at most 200 characters: others could leave the folder. */
function pathOf(folder: string, key: string): string {
  if (!keyPattern.test(key) || key.length > 200) throw new TypeError("an image key must be a lower-case path of at most 200 characters");
  return join(folder, key);
}

async function createFolder(path: string): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 });
}

/** The folder usually exists, so it is created only if `write` fails with ENOENT. */
async function inFolder(folder: string, write: () => Promise<void>): Promise<void> {
  try {
    await write();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    await createFolder(folder);
    await write();
  }
}

/** Syncs the file, because a power failure after the rename could otherwise leave an empty file under the final name. */
async function writeDurably(path: string, bytes: Buffer, signal: AbortSignal): Promise<void> {
  await using file = await open(path, "wx", 0o600);
  await file.writeFile(bytes, { signal });
  await file.datasync();
  signal.throwIfAborted();
}

async function openIfPresent(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path, "r");
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? "")) return undefined;
    throw error;
  }
}

/** Passes `file` to the stream, which closes it. */
async function opened(file: FileHandle, contentType: string, signal: AbortSignal, range: ReadRange): Promise<StoredImage> {
  try {
    const { size } = await file.stat();
    assertSize(size, range);
    return { stream: streamUntilAborted(file.createReadStream({ start: range.from ?? 0 }), signal), bytes: size, contentType };
  } catch (error) {
    await file.close();
    throw error;
  }
}

async function removeAbandoned(incoming: string, signal: AbortSignal): Promise<void> {
  for (const name of await readdir(incoming)) {
    signal.throwIfAborted();
    const path = join(incoming, name);
    const info = await stat(path).catch(() => undefined); // another replica may have renamed it
    if (info && Date.now() - info.mtimeMs > abandonedAfterMs) await rm(path, { force: true });
  }
}
