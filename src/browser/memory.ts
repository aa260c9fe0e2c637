/** Measures how much memory each browser uses, all its processes together, where the system tells (Linux). */

import { readdirSync, readFileSync } from "node:fs";

const pageBytes = 4096;

/**
 * Resident bytes by process group; a browser's processes are all in the group of its first. Memory that processes share counts
 * once for each. Empty on systems without `/proc`, whose files are answers of the kernel: to wait for them costs more than to read them.
 */
export function memoryByGroup(): Map<number, number> {
  const usage = new Map<number, number>();
  for (const pid of namesIn("/proc").filter((name) => /^\d+$/.test(name))) {
    const stat = textOf(`/proc/${pid}/stat`);
    // proc(5): after the name in parentheses, which may hold anything, field 5 is the group and field 24 the resident pages.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const group = Number(fields[2]);
    const pages = Number(fields[21]);
    if (group > 0 && pages > 0) usage.set(group, (usage.get(group) ?? 0) + pages * pageBytes);
  }
  return usage;
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** Empty for a process that has just ended. */
function textOf(file: string): string {
  try {
    return readFileSync(file, "latin1");
  } catch {
    return "";
  }
}
