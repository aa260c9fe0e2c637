/** Keeps two local services from using the same data at the same time. */

import { readFileSync } from "node:fs";
import { link, rm, writeFile } from "node:fs/promises";
import { isRunning } from "./folders.ts";

/**
 * Claims `file` for this process; disposing of the claim frees it. The file of a process that was killed is taken over.
 * @throws {Error} naming the process that has it.
 */
export async function claim(file: string): Promise<AsyncDisposable> {
  const own = `${file}.${process.pid}`;
  await writeFile(own, String(process.pid));
  try {
    for (;;) {
      try {
        await link(own, file); // unlike a write, never seen half done
        return { [Symbol.asyncDispose]: () => rm(file, { force: true }) };
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
      }
      const owner = ownerOf(file);
      if (owner !== undefined) throw new Error(`Tintype runs here already, as process ${owner}: stop that one first.`);
      await rm(file, { force: true });
    }
  } finally {
    await rm(own, { force: true });
  }
}

/** The process that has claimed `file` and still runs. */
export function ownerOf(file: string): number | undefined {
  const owner = Number(readText(file));
  return owner > 0 && isRunning(owner) && isLocalRun(owner) ? owner : undefined;
}

/** After a restart of the machine its number may be another program's. */
function isLocalRun(pid: number): boolean {
  return process.platform !== "linux" || readText(`/proc/${pid}/cmdline`).includes("local.ts");
}

function readText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
