/** Keeps the schema of large tables up to date while the service runs. */

import type { BaseLogger } from "pino";
import type { DatabaseSettings } from "./database.ts";
import { changeOnline } from "./online-changes.ts";

const everyMs = 10 * 60_000;
/** While another process makes the changes, which may have died. */
const busyMs = 60_000;

/** `start` begins at once, in the background, and tries again about every ten minutes until `close`, which gives up a change that is under way. */
export function createOnlineChanges(settings: DatabaseSettings, log: BaseLogger) {
  const closing = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;

  async function run(): Promise<void> {
    let nextMs = everyMs;
    try {
      if (!(await changeOnline(settings, log, closing.signal))) {
        log.info("another process is changing large tables; looking again later");
        nextMs = busyMs;
      }
    } catch (error) {
      if (!closing.signal.aborted)
        log.error({ err: error }, "failed to change large tables; the service works without, and tries again later");
    }
    // For a random time, so that replicas don't try in step.
    if (!closing.signal.aborted) timer = setTimeout(begin, nextMs * (0.5 + Math.random())).unref();
  }
  const begin = () => {
    running = run();
  };

  return {
    start: () => {
      if (!running) begin();
    },
    async close() {
      closing.abort();
      clearTimeout(timer);
      await running;
    },
  };
}
