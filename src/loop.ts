/** Background work that is repeated until the service ends: every periodic task of the service is one of these. */

export interface Loop {
  /**
   * Runs `everyMs` after the start and then `everyMs` after the end of each run, so runs never overlap. Safe at any number of replicas.
   * @param spread how much the pauses vary at random, so that replicas don't run in step: 1 means between half and one and a half times `everyMs`.
   */
  start(everyMs: number, options?: { immediately?: boolean; spread?: number }): void;
  /** Aborts the signal of the current run and waits for it; the pool stays open. */
  close(): Promise<void>;
}

/** Work that fails every 250 ms during an outage would fill the log. */
const quietMs = 30_000;

/** @param onFailure gets the first error of a series of failed runs, and then the latest, at most every 30 s. */
export function createLoop(run: (closing: AbortSignal) => Promise<unknown>, onFailure: (error: unknown) => void): Loop {
  const closing = new AbortController();
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
