/** This process's Chromium processes: their kinds, memory and profiles. */

import { readdir, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose-gc");
const collectGarbage: () => void = runInNewContext("gc");

export interface ChromiumProcess {
  pid: number;
  kind: "browser" | "renderer" | "gpu-process" | "utility" | "zygote" | (string & {});
}

/** Skips processes that have just been forked or are zombies, because their kind is unknown. */
export async function chromiumProcesses(): Promise<ChromiumProcess[]> {
  const own = `--user-data-dir=${tmpdir()}/tintype-profile-${process.pid}-`;
  const groups = new Set<number>();
  const all: { pid: number; group: number; kind: string }[] = [];
  for (const entry of await readdir("/proc")) {
    if (!/^\d+$/.test(entry)) continue;
    const stat = await readFile(`/proc/${entry}/stat`, "latin1").catch(() => "");
    const command = await readFile(`/proc/${entry}/cmdline`, "latin1").catch(() => "");
    const group = Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[2]);
    if (command.includes(own) && !command.includes("--type=")) groups.add(Number(entry));
    const kind = group === Number(entry) ? "browser" : /--type=([\w-]+)/.exec(command)?.[1];
    if (kind) all.push({ pid: Number(entry), group, kind });
  }
  return all.filter(({ group }) => groups.has(group));
}

/** Names of the profile folders of this process's browsers. */
export async function profiles(): Promise<string[]> {
  return (await readdir(tmpdir())).filter((name) => name.startsWith(`tintype-profile-${process.pid}-`));
}

/** Number of files and sockets that this process has open. */
export async function openFiles(): Promise<number> {
  return (await readdir("/proc/self/fd")).length;
}

/** Bytes of anonymous memory, not counting shared program files. */
export interface Memory {
  own: number;
  browsers: number;
  /** Number of browsers, which depends on how many captures ran concurrently. */
  count: number;
}

/** Memory of this process, after a garbage collection, and of its browsers. */
export async function memory(): Promise<Memory> {
  collectGarbage();
  const processes = await chromiumProcesses();
  const sizes = await Promise.all(processes.map(({ pid }) => anonymousBytes(pid)));
  return {
    own: await anonymousBytes(process.pid),
    browsers: sizes.reduce((sum, size) => sum + size, 0),
    count: processes.filter(({ kind }) => kind === "browser").length,
  };
}

async function anonymousBytes(pid: number): Promise<number> {
  const rollup = await readFile(`/proc/${pid}/smaps_rollup`, "latin1").catch(() => "");
  return Number(/^Pss_Anon:\s+(\d+) kB$/m.exec(rollup)?.[1] ?? 0) * 1024;
}

/** Ratio of memory after to memory before, scaled to the same number of browsers, with a description of its parts. */
export function growth(before: Memory, after: Memory): { all: number; description: string } {
  const ratio = (a: number, b: number) => Number((a / b).toFixed(2));
  const browsers = (after.browsers / after.count) * before.count;
  const all = ratio(after.own + browsers, before.own + before.browsers);
  return {
    all,
    description: `memory ${all} × (this process ${ratio(after.own, before.own)} ×, each browser ${ratio(browsers, before.browsers)} ×, ${Math.round((after.own + after.browsers) / 1e6)} MB with ${after.count} browsers)`,
  };
}
