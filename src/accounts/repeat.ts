/** Work that is repeated until the service ends. */

export interface Repeated {
  /** Runs every `everyMs` until `close`, at any number of replicas. A run that takes longer is the only one. */
  start(everyMs: number): void;
  /** Aborts the signal of a run that is under way and waits for it; the pool stays open. */
  close(): Promise<void>;
}

/** Work that fails every 250 ms during an outage would fill the log. */
const quietMs = 30_000;

/** @param onFailure gets the first error of a series of failed runs, and then the latest, at most every 30 s. */
export function createRepeated(run: (closing: AbortSignal) => Promise<void>, onFailure: (error: unknown) => void): Repeated {
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
    start(everyMs) {
      timer = setInterval(() => {
        running ??= runOnce().finally(() => {
          running = undefined;
        });
      }, everyMs).unref();
    },
    async close() {
      clearInterval(timer);
      closing.abort(new Error("the service is closing"));
      await running;
    },
  };
}
