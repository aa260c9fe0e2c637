/** Turns Ctrl-C, SIGTERM and the end of the parent process into an abort signal. */

import { killChildren } from "./child.ts";

/**
 * A signal that aborts when this process should stop. If that is requested again, the process kills its children and exits immediately.
 * Repeats within half a second count as one: the terminal, npm and boot.cjs each forward the same Ctrl-C.
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
