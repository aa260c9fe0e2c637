/** Tracks the jobs that run in this process. */

import { setTimeout as pause } from "node:timers/promises";

const pollMs = 200;

export function createRunning() {
  const jobs = new Set<Promise<void>>();
  return {
    /** @returns a promise that settles as `job` does. */
    track(job: Promise<void>): Promise<void> {
      jobs.add(job);
      return job.finally(() => jobs.delete(job));
    },
    /** Settles as `ending` does, or as `onIdle` once no job has run for `graceMs`. */
    async untilIdle(ending: Promise<void>, graceMs: number, onIdle: () => void): Promise<void> {
      let isEnded = false;
      const ended = ending.finally(() => {
        isEnded = true;
      });
      const idle = async () => {
        for (let idleMs = 0; !isEnded && idleMs < graceMs; idleMs = jobs.size > 0 ? 0 : idleMs + pollMs) await pause(pollMs);
        if (!isEnded) onIdle();
      };
      await Promise.race([ended, idle()]);
    },
  };
}
