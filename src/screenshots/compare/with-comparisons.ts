/** Adds comparisons to outputs of requests with `compare_to`. */

import type { TakeOutputs } from "../captures/take-outputs.ts";
import type { ShotParts } from "./stored-shots.ts";

export function withComparisons(takeOutputs: TakeOutputs, parts: ShotParts): TakeOutputs {
  return async (caller, captureId, requests, signals, queued) => {
    const taken = await takeOutputs(caller, captureId, requests, signals, queued);
    if (!requests.some(({ request }) => request.options.compare_to !== undefined)) return taken;
    const { compareOutputs } = await import("./compare-to.ts");
    const within = { viewer: caller, isQueued: queued !== undefined, deadlineAt: signals.deadlineAt, signal: signals.disconnected };
    return { ...taken, outputs: await compareOutputs(parts, requests, taken.outputs, within) };
  };
}
