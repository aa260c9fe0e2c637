/** The folders that browsers keep their profiles in: one root for each process of ours, wiped when that process is gone. */

import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

const prefix = "tintype-profile-";

/** A new, empty profile folder; whoever closes the browser removes it. */
export async function createProfile(): Promise<string> {
  return await mkdtemp(join(tmpdir(), `${prefix}${process.pid}-`));
}

/** Removes what processes left behind that were killed. Call before the first browser starts. */
export async function wipeOrphanedProfiles(): Promise<void> {
  const folders = (await readdir(tmpdir()).catch(() => [])).filter((name) => name.startsWith(prefix));
  // A restarted container has the same pid again: what bears our own, from before our first browser, is an orphan, too.
  const orphans = folders.filter((name) => {
    const pid = Number(name.slice(prefix.length).split("-")[0]);
    return pid === process.pid || !isAlive(pid);
  });
  await Promise.all(orphans.map((name) => rm(join(tmpdir(), name), { recursive: true, force: true }).catch(() => {})));
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
