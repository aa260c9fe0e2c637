/** The phases of a capture, for the response, the metrics and the trace. */

import { currentTracer, recordPhases, span } from "../telemetry/tracing.ts";
import { failureOf } from "./failures.ts";
import { addressOf, type CaptureOptions, hasNoHost, namesSet } from "./options.ts";
import type { Capture, LoadedPage } from "./request.ts";

/** Duration in milliseconds of each phase of a capture that ends now. */
export function timingsOf({ queue, started, navigated = started, ready = performance.now() }: LoadedPage["times"]): Capture["timings"] {
  return { queue, navigate: navigated - started, wait: ready - navigated, shoot: performance.now() - ready };
}

/** Calls `work` within a capture span. The span records only the target's host and the names of the options. */
export function traceCapture<T>(outputs: readonly CaptureOptions[], work: () => Promise<T>): Promise<T> {
  const [options] = outputs;
  if (!options || !currentTracer()) return work();
  const facts = {
    "tintype.target.host": hasNoHost(options) ? undefined : addressOf(options).hostname,
    "tintype.outputs": outputs.length,
    "tintype.format": options.format,
    "tintype.options": namesSet(options).join(" "),
  };
  return span("capture", facts, () =>
    work().catch((error) => {
      throw failureOf(error);
    }),
  );
}

/** Adds the phases of a capture that ends now to its trace. @param error failure of the last phase. */
export function tracePhases({ queue, started, navigated, ready }: LoadedPage["times"], error?: unknown): void {
  const now = performance.now();
  const phases = [
    { name: "queue", from: started - queue, to: started },
    { name: "navigate", from: started, to: navigated ?? now },
    { name: "wait", from: navigated ?? now, to: ready ?? now },
    { name: "shoot", from: ready ?? now, to: now },
  ];
  // A further output of the same page was neither queued nor loaded.
  const nonEmpty = phases.filter(({ from, to }) => to > from);
  recordPhases(nonEmpty, error === undefined ? undefined : failureOf(error));
}
