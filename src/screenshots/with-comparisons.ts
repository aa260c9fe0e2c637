/** Outputs with their comparisons, for requests with `compare_to`. */

import { createTurns, turnsOfRequests } from "../comparison/turns.ts";
import type { ShotParts } from "./stored-shots.ts";
import type { TakeOutputs } from "./take-outputs.ts";

/** Queued captures are few at once, and can wait. */
const turnsOfJobs = createTurns();

export function withComparisons(takeOutputs: TakeOutputs, parts: ShotParts): TakeOutputs {
  return async (caller, captureId, requests, signals, queued) => {
    const taken = await takeOutputs(caller, captureId, requests, signals, queued);
    if (!requests.some(({ request }) => request.options.compare_to !== undefined)) return taken;
    const { compareOutputs } = await import("./compare-to.ts");
    const inTurn = queued ? turnsOfJobs : turnsOfRequests;
    const within = { viewer: caller, deadlineAt: signals.deadlineAt, signal: signals.disconnected };
    return { ...taken, outputs: await compareOutputs({ ...parts, inTurn }, requests, taken.outputs, within) };
  };
}
