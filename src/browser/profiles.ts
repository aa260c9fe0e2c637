/** Temporary browser profile folders, named after this process's pid so that a later process can remove leftovers. */

import { lstat, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

const prefix = "tintype-profile-";

/** A new, empty profile folder. The caller removes it once the browser has exited. */
export async function createProfile(): Promise<string> {
  return await mkdtemp(join(tmpdir(), `${prefix}${process.pid}-`));
}

/** Disk usage in bytes. Each file counts as at least one block, which also limits the number of files. */
export async function profileBytes(profile: string): Promise<number> {
  let bytes = 0;
  for (const name of await readdir(profile, { recursive: true }).catch(() => [])) {
    const { blocks } = await lstat(join(profile, name)).catch(() => ({ blocks: 0 })); // removed in the meantime
    bytes += Math.max(blocks * 512, 4096);
  }
  return bytes;
}

/** Removes the profiles of processes that were killed. Call before the first browser starts. */
export async function removeOrphanedProfiles(): Promise<void> {
  const folders = (await readdir(tmpdir()).catch(() => [])).filter((name) => name.startsWith(prefix));
  // A restarted container reuses its pid: before our first browser starts, profiles with our own pid are also orphans.
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
