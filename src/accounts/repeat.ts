/** Work that is repeated until the service ends. */

export interface Repeated {
  /** Runs every `everyMs` until `close`, at any number of replicas. */
  start(everyMs: number): void;
  /** Waits for a run that is under way; the pool stays open. */
  close(): Promise<void>;
}

export function createRepeated(run: () => Promise<void>, onFailure: (error: unknown) => void): Repeated {
  let timer: NodeJS.Timeout | undefined;
  let running = Promise.resolve();
  return {
    start(everyMs) {
      timer = setInterval(() => {
        running = run().catch(onFailure);
      }, everyMs).unref();
    },
    async close() {
      clearInterval(timer);
      await running;
    },
  };
}
