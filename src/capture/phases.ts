/** The phases of a capture: for the answer, the metrics and the trace. */

import { currentTracer, recordPhases, span } from "../tracing.ts";
import { failureOf } from "./capture-failures.ts";
import type { Capture, Page } from "./capture-request.ts";
import { addressOf, type CaptureOptions, hasNoHost, namesSet } from "./options.ts";

/** Milliseconds of each phase of a capture that ends now. */
export function timingsOf({ queue, started, navigated = started, ready = performance.now() }: Page["times"]): Capture["timings"] {
  return { queue, navigate: navigated - started, wait: ready - navigated, shoot: performance.now() - ready };
}

/** Calls `work` within the span of a capture. Of the target it has the host alone, of the options their names. */
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

/** Adds the phases of a capture that ends now to its trace. @param error in the last of them. */
export function tracePhases({ queue, started, navigated, ready }: Page["times"], error?: unknown): void {
  const now = performance.now();
  const phases = [
    { name: "queue", from: started - queue, to: started },
    { name: "navigate", from: started, to: navigated ?? now },
    { name: "wait", from: navigated ?? now, to: ready ?? now },
    { name: "shoot", from: ready ?? now, to: now },
  ];
  // A further output of a page has neither been queued nor loaded.
  const begun = phases.filter(({ from, to }) => to > from);
  recordPhases(begun, error === undefined ? undefined : failureOf(error));
}
