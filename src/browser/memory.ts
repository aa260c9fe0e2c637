/** Measures how much memory each browser uses, all its processes together, where the system tells (Linux). */

import { readdirSync, readFileSync } from "node:fs";

const pageBytes = 4096;

/** A process never leaves its group, but its number may be given to another one. */
const forgetAfterLooks = 10;

/**
 * Resident bytes of process groups; a browser's processes are all in the group of its first. Memory that processes share counts once
 * for each. Empty on systems without `/proc`, whose files are answers of the kernel: to wait for them costs more than to read them.
 * Whoever looks again and again keeps what this returns: processes that are known to be in other groups are not read.
 */
export function createMemoryMeter(): (groups: ReadonlySet<number>) => Map<number, number> {
  const groupOf = new Map<string, number>();
  let looks = 0;
  return (groups) => {
    if (looks % forgetAfterLooks === 0) groupOf.clear();
    looks += 1;
    const usage = new Map<number, number>();
    for (const pid of namesIn("/proc")) {
      if (!/^\d/.test(pid)) continue;
      const known = groupOf.get(pid);
      if (known !== undefined && !groups.has(known)) continue;
      const { group, bytes } = readStat(pid);
      groupOf.set(pid, group);
      if (groups.has(group)) usage.set(group, (usage.get(group) ?? 0) + bytes);
    }
    return usage;
  };
}

/** proc(5): after the name in parentheses, which may hold anything, field 5 is the group and field 24 the resident pages. */
function readStat(pid: string): { group: number; bytes: number } {
  const stat = textOf(`/proc/${pid}/stat`);
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return { group: Number(fields[2]), bytes: Number(fields[21]) * pageBytes };
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
