/** Lowers the scheduling priority of browsers, so that a page that keeps every core busy can't delay this process. */

import { writeFile } from "node:fs/promises";
import { constants, setPriority } from "node:os";
import { setTimeout as wait } from "node:timers/promises";

const priority = constants.priority.PRIORITY_BELOW_NORMAL;
const attempts = 50;
const retryAfterMs = 120;

/**
 * Lowers the priority of a process just spawned in its own session, and of processes that it starts afterwards. Has no effect on an idle
 * machine. Never rejects: the system may not support or permit it.
 */
export async function lowerPriority(pid: number): Promise<void> {
  try {
    setPriority(pid, priority);
    await lowerAutogroup(pid);
  } catch {
    // The process has already exited, or the system doesn't allow this.
  }
}

/**
 * If Linux groups processes by session (`sched_autogroup_enabled`), a process's priority matters only within its session, and each session
 * gets the same share of the processor. The session has its own priority (sched(7)). The kernel accepts one change per 100 ms on the whole
 * machine, and several browsers may start concurrently.
 */
async function lowerAutogroup(pid: number): Promise<void> {
  for (let attempt = 1; attempt <= attempts; attempt += 1) {
    try {
      return await writeFile(`/proc/${pid}/autogroup`, String(priority));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EAGAIN") return;
      await wait(retryAfterMs, undefined, { ref: false });
    }
  }
}
