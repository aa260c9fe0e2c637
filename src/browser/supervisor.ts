/** Watches browsers in use, and reports a browser that stops responding or exceeds its memory limit. */

import { readdirSync, readFileSync } from "node:fs";
import { endianness } from "node:os";
import { AppError } from "../shared/errors.ts";
import { BrowserHung } from "./chromium-errors.ts";

interface Watched {
  pid: number;
  /** Any call to which a working browser responds immediately. */
  ping: () => Promise<unknown>;
  /** May be called more than once. */
  onTrouble: (error: Error) => void;
}

export interface Supervisor {
  /** Watches until the returned function is called. */
  watch(browser: Watched): () => void;
  close(): void;
}

/** Short, because a page can fill a gigabyte in a second; measuring all browsers takes a few milliseconds. */
const measureEveryMs = 500;
const pingEveryMs = 2_000;
const pingTimeoutMs = 5_000;

/** @param memoryMaxBytes limit per browser, for all its processes together. */
export function createSupervisor({ memoryMaxBytes }: { memoryMaxBytes: number }): Supervisor {
  const watched = new Set<Watched>();
  const memoryOf = createMemoryMeter();
  let timer: NodeJS.Timeout | undefined;

  const measure = () => {
    const memory = memoryOf(new Set([...watched].map(({ pid }) => pid)));
    for (const browser of watched) {
      if ((memory.get(browser.pid) ?? 0) > memoryMaxBytes)
        browser.onTrouble(new AppError("page_too_heavy", { message: "The page exceeds a capture's memory limit." }));
    }
    timer = watched.size > 0 ? setTimeout(measure, measureEveryMs).unref() : undefined;
  };

  return {
    watch: (browser) => {
      let pingTimer: NodeJS.Timeout | undefined;
      const ping = async () => {
        const late = setTimeout(() => browser.onTrouble(new BrowserHung("The browser is not responding")), pingTimeoutMs);
        await browser.ping().catch(() => {}); // if the browser is lost, the capture's own calls fail
        clearTimeout(late);
        if (watched.has(browser)) pingTimer = setTimeout(ping, pingEveryMs).unref();
      };
      watched.add(browser);
      pingTimer = setTimeout(ping, pingEveryMs).unref();
      timer ??= setTimeout(measure, measureEveryMs).unref();
      return () => {
        watched.delete(browser);
        clearTimeout(pingTimer);
      };
    },
    close: () => {
      watched.clear();
      clearTimeout(timer);
    },
  };
}

/** Chromium's processes never change groups, but pids may be reused, so the cache is cleared every few reads. */
const forgetAfterReads = 10;

/**
 * Returns a function that measures the resident bytes of process groups; all processes of a browser are in one group. Shared memory is
 * counted once per process. The result is empty on systems without `/proc`. Reads synchronously, because procfs never blocks on I/O. Reuse
 * the function for repeated measurements: it skips processes known to be in other groups.
 * @param proc mount point of procfs; tests pass their own.
 */
export function createMemoryMeter(proc = "/proc"): (groups: ReadonlySet<number>) => Map<number, number> {
  const groupOf = new Map<string, number>();
  const pageBytes = pageSizeOf(proc);
  let reads = 0;
  return (groups) => {
    if (reads % forgetAfterReads === 0) groupOf.clear();
    reads += 1;
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

/** proc(5): after the name in parentheses, which may contain any characters, field 5 is the group and field 24 the resident pages. */
function readStat(proc: string, pid: string): { group: number; pages: number } {
  const stat = bytesOf(`${proc}/${pid}/stat`).toString("latin1");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return { group: Number(fields[2]), pages: Number(fields[21]) };
}

/** Page size in bytes, from the auxiliary vector (getauxval(3)): 4 kB on most machines, 16 or 64 kB on some ARM and POWER machines. */
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

/** Empty if the process has just ended. */
function bytesOf(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch {
    return Buffer.alloc(0);
  }
}

/** Memory of a browser and all its processes, in bytes. */
export function memoryOf(pid: number): number {
  return createMemoryMeter()(new Set([pid])).get(pid) ?? 0;
}
