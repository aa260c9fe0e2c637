/** Repeats a background task until the service shuts down. */

export interface Loop {
  /**
   * Runs the task after `everyMs`, or immediately, and again `everyMs` after the end of each run, so runs never overlap in a process.
   * Further calls do nothing. Each replica has its own loop.
   * @param spread random variation of the pauses, so that replicas don't run in step: 1 means half to one and a half times `everyMs`.
   */
  start(everyMs: number, options?: { immediately?: boolean; spread?: number }): void;
  /** Aborts the current run's signal and waits for the run. */
  close(): Promise<void>;
}

/** Minimum time between log lines, because a task that fails every 250 ms during an outage would flood the log. */
const quietMs = 30_000;

/** @param onFailure receives the first error of a series of failed runs, then the latest one at most every 30 s. */
export function createLoop(run: (closing: AbortSignal) => Promise<unknown>, onFailure: (error: unknown) => void): Loop {
  const closing = new AbortController();
  let isStarted = false;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  let quietUntil = Number.NEGATIVE_INFINITY;

  async function runOnce(): Promise<void> {
    try {
      await run(closing.signal);
      quietUntil = Number.NEGATIVE_INFINITY;
    } catch (error) {
      if (closing.signal.aborted || performance.now() < quietUntil) return;
      quietUntil = performance.now() + quietMs;
      onFailure(error);
    }
  }

  return {
    start(everyMs, { immediately = false, spread = 0 } = {}) {
      if (isStarted) return;
      isStarted = true;
      const next = () => {
        if (!closing.signal.aborted) timer = setTimeout(begin, everyMs * (1 + spread * (Math.random() - 0.5))).unref();
      };
      const begin = () => {
        running = runOnce().then(next);
      };
      (immediately ? begin : next)();
    },
    async close() {
      closing.abort(new Error("the service is closing"));
      clearTimeout(timer);
      await running;
    },
  };
}
