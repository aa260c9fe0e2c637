/** Finds the processes that a test file started, by an environment variable or by ancestry. Finds none on systems other than Linux. */

import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";

/** Name of the variable; its value is unique to each run of a file. */
export const markName = "TEST_FILE_MARK";

interface Process {
  pid: number;
  command: string;
}

/** Kills the processes with `mark` and the descendants of `pid`, including those that start in the meantime. */
export function killMarked(mark: string, pid?: number): void {
  // Collected before any parent is killed, because orphans get a new parent.
  for (const descendant of pid === undefined ? [] : descendants(pid)) kill(descendant);
  for (let round = 0; round < 5; round += 1) {
    const found = markedProcesses(mark);
    if (found.length === 0) return;
    for (const one of found) kill(one.pid);
  }
}

/** Finds browsers and servers that don't inherit the variable. */
function descendants(pid: number): number[] {
  const parents = new Map(processIds().map((id) => [id, Number(/^.*\) \S (\d+) /s.exec(read(`/proc/${id}/stat`))?.[1] ?? 0)]));
  const found = [pid];
  for (const parent of found) for (const [id, itsParent] of parents) if (itsParent === parent) found.push(id);
  return found.slice(1);
}

/** Waits up to `graceMs` for the processes with `mark` to exit, then kills the others and returns them. */
export async function endMarked(mark: string, graceMs: number): Promise<Process[]> {
  const deadline = performance.now() + graceMs;
  for (;;) {
    const found = markedProcesses(mark);
    if (found.length === 0) return [];
    if (performance.now() > deadline) {
      killMarked(mark);
      return found;
    }
    await pause(100);
  }
}

function markedProcesses(mark: string): Process[] {
  return processIds().flatMap((pid) => {
    const variables = read(`/proc/${pid}/environ`);
    if (!variables.split("\0").includes(`${markName}=${mark}`)) return [];
    const command = read(`/proc/${pid}/cmdline`).split("\0").slice(0, 3).join(" ").trim();
    return command === "" ? [] : [{ pid, command: command.slice(0, 120) }]; // zombies have no command line
  });
}

function processIds(): number[] {
  if (process.platform !== "linux") return [];
  return readdirSync("/proc")
    .map(Number)
    .filter((pid) => pid > 0 && pid !== process.pid);
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // already exited
  }
}

function read(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return ""; // exited, or belongs to another user
  }
}
