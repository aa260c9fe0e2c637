/** Finds the outputs of a request that need no capture. */

import type { CopyStored } from "../../accounts/destinations/copies.ts";
import type { Caller } from "../../accounts/keys/caller.ts";
import type { TakeRequest } from "../take/take-options.ts";
import type { Signals, TakeScreenshot } from "../take/take-screenshot.ts";
import type { QueuedOutputs } from "./reservations.ts";
import type { OutputRequest, TakenOutput } from "./taken-outputs.ts";

export interface LookUpParts {
  takeScreenshot: Pick<TakeScreenshot, "prepare" | "find" | "vet">;
  copyStored: CopyStored;
}

interface LookUpContext {
  caller: Caller;
  signals: Signals;
  queued: QueuedOutputs | undefined;
}

/**
 * Returns the outputs with their sessions' versions, and the outcomes of outputs that need no capture. Copies cached outputs to the
 * destination if one is requested.
 */
export async function lookUp({ takeScreenshot, copyStored }: LookUpParts, requested: OutputRequest[], context: LookUpContext) {
  const outputs = await Promise.all(
    requested.map(async (one) => ({ ...one, request: await takeScreenshot.prepare(context.caller, one.request) })),
  );
  const known = await Promise.all(outputs.map(({ request }) => withoutCapture(takeScreenshot, request, context)));
  for (const [index, one] of known.entries())
    if (one && "entry" in one) await copyStored(context.caller, outputs[index]?.request.options ?? {}, one.entry);
  return { outputs, known };
}

/** The outcome of an output that needs no capture: a cached screenshot, or an error from the lookup or the target check. */
async function withoutCapture(
  takeScreenshot: LookUpParts["takeScreenshot"],
  request: TakeRequest,
  { caller, signals, queued }: LookUpContext,
): Promise<TakenOutput | undefined> {
  try {
    const found = await takeScreenshot.find(caller, request);
    if (found?.freshness === "fresh") return { entry: found.entry };
    await takeScreenshot.vet(request, signals);
    return undefined;
  } catch (failure) {
    signals.disconnected.throwIfAborted();
    if (queued?.mayRetry(failure)) throw failure;
    return { failure };
  }
}
