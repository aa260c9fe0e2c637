/** Keeps pictures in a folder of this machine, for local use and for a service on one machine. */

import { createHash, randomUUID } from "node:crypto";
import { access, constants, type FileHandle, mkdir, open, readdir, rename, rm, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import type { BaseLogger } from "pino";
import { type ImageStore, type StoredImage, streamUntilAborted } from "./store.ts";

/** What stands behind the picture's bytes in its file. */
interface About {
  key: string;
  contentType: string;
  metadata: Record<string, string>;
}

/** A file is picture, JSON of `About`, its length in bytes (4), these 4 bytes. One file, so one rename shows all of it; viewers ignore the end. */
const mark = Buffer.from("TTY1");
const footerBytes = 4 + mark.length;
/** A partial file this old is a dead process's, not a running upload's. */
const abandonedAfterMs = 60 * 60 * 1000;

/**
 * The folder of a `file:` address: absolute (`file:///a/b`, `file:/a/b`) or, without a slash, relative to the working directory (`file:a/b`).
 * @throws {Error} when it names no folder, or a host.
 */
export function folderOf(url: string): string {
  const path = url.startsWith("file://") ? fileURLToPath(url) : decodeURIComponent(url.slice("file:".length));
  const folder = resolve(path);
  if (path === "" || dirname(folder) === folder) throw new Error("STORAGE_URL does not name a folder: use a value such as file:/a/folder");
  return folder;
}

/** @param folder absolute; need not exist yet. Everything in it is readable by this user only. */
export function createFileStore(folder: string, log: BaseLogger): ImageStore {
  const incoming = join(folder, "incoming");

  return {
    async prepare(signal) {
      try {
        await makeFolder(incoming);
        await removeAbandoned(incoming, signal);
      } catch (error) {
        log.error({ err: error, folder }, "the image folder is not usable: create it, or grant this user write permission");
      }
    },
    async put(key, bytes, { contentType, metadata }, signal) {
      signal.throwIfAborted();
      const path = pathOf(folder, key);
      const partial = join(incoming, randomUUID());
      try {
        await inFolder(incoming, () => writeDurably(partial, [bytes, footerOf({ key, contentType, metadata })], signal));
        await inFolder(dirname(path), () => rename(partial, path));
      } catch (error) {
        await rm(partial, { force: true });
        throw error;
      }
    },
    async get(key, signal) {
      signal.throwIfAborted();
      const file = await openOrNothing(pathOf(folder, key));
      if (!file) return undefined;
      try {
        const found = await readAbout(file);
        if (found) return await streamed(file, found, signal);
      } catch (error) {
        await file.close();
        throw error;
      }
      await file.close();
      log.warn({ key }, "the file of a stored image is damaged: treated as missing");
      return undefined;
    },
    async remove(key, signal) {
      signal.throwIfAborted();
      await rm(pathOf(folder, key), { force: true });
    },
    async check(signal) {
      signal.throwIfAborted();
      if (!(await stat(folder)).isDirectory()) throw new Error("the image folder is not a directory");
      await access(folder, constants.R_OK | constants.W_OK | constants.X_OK);
    },
    close() {},
  };
}

/** Hashing makes any key a safe name of fixed length; two levels keep folders small. */
function pathOf(folder: string, key: string): string {
  const name = createHash("sha256").update(key).digest("hex");
  return join(folder, name.slice(0, 2), name.slice(2, 4), name.slice(4));
}

async function makeFolder(path: string): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 });
}

/** Most folders are there already, so they are made only when `write` misses its own. */
async function inFolder(folder: string, write: () => Promise<void>): Promise<void> {
  try {
    await write();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    await makeFolder(folder);
    await write();
  }
}

/** Without the sync a power cut after the rename could leave an empty file under the final name. */
async function writeDurably(path: string, parts: Buffer[], signal: AbortSignal): Promise<void> {
  await using file = await open(path, "wx", 0o600);
  for (const part of parts) await file.writeFile(part, { signal });
  await file.datasync();
  signal.throwIfAborted();
}

function footerOf(about: About): Buffer {
  const json = Buffer.from(JSON.stringify(about));
  const length = Buffer.alloc(4);
  length.writeUInt32BE(json.length);
  return Buffer.concat([json, length, mark]);
}

async function openOrNothing(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path, "r");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

/** The end of the file, understood; `undefined` when it is damaged. */
async function readAbout(file: FileHandle): Promise<{ about: About; bytes: number } | undefined> {
  const { size } = await file.stat();
  if (size < footerBytes) return undefined;
  const footer = Buffer.alloc(footerBytes);
  await file.read(footer, 0, footerBytes, size - footerBytes);
  const jsonBytes = footer.readUInt32BE(0);
  const bytes = size - footerBytes - jsonBytes;
  if (!footer.subarray(4).equals(mark) || bytes < 0) return undefined;
  const json = Buffer.alloc(jsonBytes);
  await file.read(json, 0, jsonBytes, bytes);
  try {
    return { about: JSON.parse(json.toString()) as About, bytes };
  } catch {
    return undefined;
  }
}

/** Hands the file over to the stream, which closes it. */
async function streamed(file: FileHandle, { about, bytes }: { about: About; bytes: number }, signal: AbortSignal): Promise<StoredImage> {
  if (bytes === 0) await file.close(); // a read stream cannot end before it starts
  const stream = bytes === 0 ? Readable.from([]) : file.createReadStream({ start: 0, end: bytes - 1 });
  return { stream: streamUntilAborted(stream, signal), bytes, contentType: about.contentType };
}

async function removeAbandoned(incoming: string, signal: AbortSignal): Promise<void> {
  for (const name of await readdir(incoming)) {
    signal.throwIfAborted();
    const path = join(incoming, name);
    const info = await stat(path).catch(() => undefined); // another replica may have finished it
    if (info && Date.now() - info.mtimeMs > abandonedAfterMs) await rm(path, { force: true });
  }
}
