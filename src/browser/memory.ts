/** Measures how much memory each browser uses, all its processes together, where the system tells (Linux). */

import { readdir, readFile } from "node:fs/promises";

const pageBytes = 4096;

/**
 * Resident bytes by process group; a browser's processes are all in the group of its first. Memory that processes share counts
 * once for each. Empty on systems without `/proc`.
 */
export async function memoryByGroup(): Promise<Map<number, number>> {
  const entries = await readdir("/proc").catch(() => []);
  const usage = new Map<number, number>();
  const stats = await Promise.all(
    entries.filter((entry) => /^\d+$/.test(entry)).map((pid) => readFile(`/proc/${pid}/stat`, "latin1").catch(() => "")),
  );
  for (const stat of stats) {
    // proc(5): after the name in parentheses, which may hold anything, field 5 is the group and field 24 the resident pages.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const group = Number(fields[2]);
    const pages = Number(fields[21]);
    if (group > 0 && pages > 0) usage.set(group, (usage.get(group) ?? 0) + pages * pageBytes);
  }
  return usage;
}
