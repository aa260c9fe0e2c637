/** Measures how much memory each browser uses, all its processes together (Linux only). */

import { readdirSync, readFileSync } from "node:fs";
import { endianness } from "node:os";

/** A process never leaves its group, but its number may be given to another one. */
const forgetAfterLooks = 10;

/**
 * Resident bytes of process groups; a browser's processes are all in the group of its first. Memory that processes share counts once
 * for each. Empty on systems without `/proc`. Reads synchronously, because procfs never waits for a disk.
 * Keep the returned function for repeated measurements: it doesn't read processes that it knows to be in other groups.
 * @param proc where procfs is mounted; tests bring their own.
 */
export function createMemoryMeter(proc = "/proc"): (groups: ReadonlySet<number>) => Map<number, number> {
  const groupOf = new Map<string, number>();
  const pageBytes = pageSizeOf(proc);
  let looks = 0;
  return (groups) => {
    if (looks % forgetAfterLooks === 0) groupOf.clear();
    looks += 1;
    const usage = new Map<number, number>();
    for (const pid of namesIn(proc)) {
      if (!/^\d/.test(pid)) continue;
      const known = groupOf.get(pid);
      if (known !== undefined && !groups.has(known)) continue;
      const { group, pages } = readStat(proc, pid);
      groupOf.set(pid, group);
      if (groups.has(group)) usage.set(group, (usage.get(group) ?? 0) + pages * pageBytes);
    }
    return usage;
  };
}

/** proc(5): after the name in parentheses, which may hold anything, field 5 is the group and field 24 the resident pages. */
function readStat(proc: string, pid: string): { group: number; pages: number } {
  const stat = bytesOf(`${proc}/${pid}/stat`).toString("latin1");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return { group: Number(fields[2]), pages: Number(fields[21]) };
}

/** getauxval(3): what `getconf PAGESIZE` prints. 4 kB on most machines, 16 or 64 kB on some with ARM or POWER. */
function pageSizeOf(proc: string): number {
  const pageSizeEntry = 6n;
  const vector = bytesOf(`${proc}/self/auxv`);
  const read = (at: number) => (endianness() === "LE" ? vector.readBigUInt64LE(at) : vector.readBigUInt64BE(at));
  for (let at = 0; at + 16 <= vector.length; at += 16) if (read(at) === pageSizeEntry) return Number(read(at + 8));
  return 4096;
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** Empty for a process that has just ended. */
function bytesOf(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch {
    return Buffer.alloc(0);
  }
}
