/** Folders of the scripts: the checkout, and `.local/` in it, which git ignores, or `TINTYPE_DATA` instead. */

import { mkdir, readdir, rm, statfs } from "node:fs/promises";
import { freemem, userInfo } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

/** The checkout, with a trailing slash. */
export const root = fileURLToPath(new URL("../../", import.meta.url));
/** Everything that local runs and tests leave behind; removing it is safe when nothing is running. */
export const localFolder = process.env.TINTYPE_DATA ? resolve(process.env.TINTYPE_DATA) : join(root, ".local");
/** Downloaded programs. */
export const toolsFolder = join(localFolder, "tools");

const memoryMinBytes = 4 * 2 ** 30;

/**
 * An in-memory parent for temporary folders, where creating and dropping databases takes less work; undefined if there is too little
 * memory.
 */
export async function memoryParent(): Promise<string | undefined> {
  const files = await statfs("/dev/shm").catch(() => undefined);
  const isEnough = files !== undefined && files.bavail * files.bsize >= memoryMinBytes && freemem() >= 2 * memoryMinBytes;
  return isEnough ? `/dev/shm/tintype-runs-${userInfo().uid}` : undefined;
}

/** A temporary folder of this process; disposing of it removes it. Also removes folders of killed processes in `parent`. */
export async function throwAwayFolder(parent = join(localFolder, "runs")): Promise<AsyncDisposable & { path: string }> {
  await mkdir(parent, { recursive: true });
  const leftovers = (await readdir(parent)).filter((name) => !isRunning(Number(name)));
  for (const name of [...leftovers, String(process.pid)]) await rm(join(parent, name), { recursive: true, force: true });
  const path = join(parent, String(process.pid));
  await mkdir(path);
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }) };
}

/** Whether a process with this pid exists, whichever user it belongs to. */
export function isRunning(pid: number): boolean {
  try {
    return pid > 0 && process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
