/** Turns Ctrl-C, a request to end and the end of whoever started us into an abort. */

import { killChildren } from "./child.ts";

/**
 * A signal that aborts when this process is to stop. Asked a second time it ends at once, with everything it started.
 * Repeats within half a second count once: the terminal, npm and our starter each pass the same Ctrl-C on.
 */
export function interruption(): AbortSignal {
  const controller = new AbortController();
  let firstAt = 0;
  const stop = () => {
    if (firstAt === 0) {
      firstAt = performance.now();
      controller.abort(new Error("Stopped."));
    } else if (performance.now() - firstAt > 500) {
      killChildren();
      process.exit(130);
    }
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, stop);
  const parent = process.ppid;
  setInterval(() => process.ppid !== parent && firstAt === 0 && stop(), 1000).unref();
  return controller.signal;
}
