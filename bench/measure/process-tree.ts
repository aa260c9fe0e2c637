/** CPU time and memory of a process and its descendants, from Linux's `/proc`. */

import { readdirSync, readFileSync } from "node:fs";

export interface CpuUse {
  /** CPU seconds of the process and its descendants, including exited ones. */
  tree: number;
  /** CPU seconds of the process itself. */
  own: number;
}

export interface MemoryUse {
  /** MB of anonymous memory, all processes together. */
  anonymousMb: number;
  /** MB resident; shared memory counts once per process. */
  residentMb: number;
  processes: number;
}

interface Stat {
  pid: number;
  parent: number;
  name: string;
  /** Ticks of the process, and of its reaped children. */
  ownTicks: number;
  endedTicks: number;
}

/** Ticks per second in procfs; always 100 on Linux. */
const ticksPerSecond = 100;

export function cpuOf(root: number): CpuUse {
  const tree = treeOf(root, allStats());
  const own = tree.find(({ pid }) => pid === root)?.ownTicks ?? 0;
  const all = tree.reduce((sum, { ownTicks, endedTicks }) => sum + ownTicks + endedTicks, 0);
  return { tree: all / ticksPerSecond, own: own / ticksPerSecond };
}

export function memoryOf(root: number): MemoryUse {
  const sizes = treeOf(root, allStats()).flatMap(({ pid }) => {
    const status = read(`/proc/${pid}/status`);
    const kb = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(status)?.[1] ?? 0);
    return status === "" ? [] : [{ anonymous: kb("RssAnon") + kb("RssShmem"), resident: kb("VmRSS") }];
  });
  const megabytes = (what: "anonymous" | "resident") => sizes.reduce((sum, size) => sum + size[what], 0) / 1024;
  return { anonymousMb: megabytes("anonymous"), residentMb: megabytes("resident"), processes: sizes.length };
}

/** The process and its descendants. */
export function pidsOf(root: number): number[] {
  return treeOf(root, allStats()).map(({ pid }) => pid);
}

/** Direct children of this process with one of these names. */
export function childrenNamed(names: string[]): number[] {
  return allStats()
    .filter(({ parent, name }) => parent === process.pid && names.includes(name))
    .map(({ pid }) => pid);
}

function allStats(): Stat[] {
  return readdirSync("/proc")
    .filter((entry) => /^\d+$/.test(entry))
    .flatMap((entry) => {
      const stat = read(`/proc/${entry}/stat`);
      if (stat === "") return []; // exited in the meantime
      // proc(5): the name is in parentheses and may contain anything; the state after it is field 3.
      const end = stat.lastIndexOf(")");
      const field = stat.slice(end + 2).split(" ");
      const ticks = (number: number) => Number(field[number - 3]);
      return [
        {
          pid: Number(entry),
          parent: Number(field[1]),
          name: stat.slice(stat.indexOf("(") + 1, end),
          ownTicks: ticks(14) + ticks(15),
          endedTicks: ticks(16) + ticks(17),
        },
      ];
    });
}

function treeOf(root: number, stats: Stat[]): Stat[] {
  const below = Map.groupBy(stats, ({ parent }) => parent);
  const descend = (stat: Stat): Stat[] => [stat, ...(below.get(stat.pid) ?? []).flatMap(descend)];
  return stats.filter(({ pid }) => pid === root).flatMap(descend);
}

function read(file: string): string {
  try {
    return readFileSync(file, "latin1");
  } catch {
    return "";
  }
}
