/** A lower scheduling priority for browsers: a page that keeps every core busy must not delay this process's responses to others. */

import { writeFile } from "node:fs/promises";
import { constants, setPriority } from "node:os";
import { setTimeout as wait } from "node:timers/promises";

const priority = constants.priority.PRIORITY_BELOW_NORMAL;
const attempts = 50;
const retryAfterMs = 120;

/**
 * Lowers the priority of a process that has just been spawned in its own session, and of what it starts from then on. On an idle machine
 * it changes nothing. Never rejects: systems may not have or not allow it.
 */
export async function lowerPriority(pid: number): Promise<void> {
  try {
    setPriority(pid, priority);
    await lowerAutogroup(pid);
  } catch {
    // It has ended already, or the system doesn't allow it.
  }
}

/**
 * Where Linux groups processes by session (`sched_autogroup_enabled`), a process's priority counts within its session only, and each
 * session gets the same share of the processor. The session has a priority, too (sched(7)). The kernel accepts one change in 100 ms for
 * the whole machine, and browsers start together.
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
