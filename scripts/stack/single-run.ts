/** A lock file that prevents two local services from using the same data. */

import { readFileSync } from "node:fs";
import { link, rm, writeFile } from "node:fs/promises";
import { isRunning } from "./folders.ts";

/**
 * Locks `file` for this process; disposing of the lock releases it. A killed process's lock is taken over.
 * @throws {Error} with the pid of the process that holds it.
 */
export async function claim(file: string): Promise<AsyncDisposable> {
  const own = `${file}.${process.pid}`;
  await writeFile(own, String(process.pid));
  try {
    for (;;) {
      try {
        await link(own, file); // atomic, unlike a write
        return { [Symbol.asyncDispose]: () => rm(file, { force: true }) };
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
      }
      const owner = ownerOf(file);
      if (owner !== undefined) throw new Error(`Tintype is already running here, as process ${owner}: stop it first.`);
      await rm(file, { force: true });
    }
  } finally {
    await rm(own, { force: true });
  }
}

/** The running process that holds the lock. */
export function ownerOf(file: string): number | undefined {
  const owner = Number(readText(file));
  return owner > 0 && isRunning(owner) && isLocalRun(owner) ? owner : undefined;
}

/** After a reboot, the pid may belong to another program. */
function isLocalRun(pid: number): boolean {
  return process.platform !== "linux" || readText(`/proc/${pid}/cmdline`).match(/\b(local|single)\.ts/) !== null;
}

function readText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
