/** Reservations for a capture's outputs, one of which carries the capture's cost. */

import type { Caller } from "../../accounts/keys/caller.ts";
import type { Charge } from "../../accounts/usage/charge.ts";
import type { Reservation, SliceNames } from "../../accounts/usage/reservation.ts";
import { costOf } from "../../capture/options.ts";
import type { OutputOutcome } from "../../capture/outputs.ts";
import type { PageLinks } from "../../capture/request.ts";
import { AppError } from "../../shared/errors.ts";
import { refundFailed, reservedFor } from "../take/capture-and-store.ts";
import { sliceName } from "./keep-slices.ts";
import type { OutputRequest, TakenOutput } from "./taken-outputs.ts";

/** State of a queued capture that was reserved when it was submitted. */
export interface QueuedOutputs {
  /** Reservations by output name, except for outputs that an earlier attempt found in the cache. */
  reservations: Map<string, Reservation>;
  /** Whether to retry the whole capture after `failure`. If so, `failure` is thrown and the reservations are kept. */
  mayRetry: (failure: unknown) => boolean;
  /** Whether the outputs' `stored` resolves only after the last attempt to store them. Set if no caller is waiting for the capture. */
  isPatient: boolean;
  /** Whether someone is still waiting for the capture; if absent, its result is always wanted. */
  isWanted?: () => Promise<boolean>;
  /** Called immediately before each page load. */
  beforeLoad?: (() => Promise<void>) | undefined;
  /** Decides from the page's links whether to keep the outputs. The links are read only if this is set. */
  accepts?: ((links: PageLinks | undefined) => Promise<boolean>) | undefined;
}

/** Cost of capturing these outputs, in screenshots. */
export function costOfOutputs(outputs: readonly OutputRequest[]): number {
  return costOf(outputs.map(({ request }) => request.options));
}

/** One reservation for each output, in the same order, each with a new id. */
export function reservedForOutputs(caller: Caller, outputs: OutputRequest[], parts: Parameters<typeof reservedFor>[2]) {
  return outputs.map(({ name, request }) => ({ ...reservedFor(caller, request, parts), output: name }));
}

/**
 * Ends the reservations of outputs that don't need a capture, and moves the capture's cost to an output that does.
 * @param known outputs that don't need a capture. Outputs without a reservation are added as failed.
 */
export async function endUnneeded(
  charge: Charge,
  { reservations }: QueuedOutputs,
  outputs: OutputRequest[],
  known: (TakenOutput | undefined)[],
): Promise<void> {
  for (const [index, { name }] of outputs.entries())
    if (!reservations.has(name))
      known[index] ??= { failure: new AppError("unavailable", { message: "The cached output is no longer stored." }) };
  const carrier = reservations.get(outputs[known.indexOf(undefined)]?.name ?? "");
  for (const [index, { name }] of outputs.entries()) {
    const [reservation, found] = [reservations.get(name), known[index]];
    if (!reservation || !found) continue;
    if (carrier) await charge.move(reservation, carrier);
    if ("failure" in found) await refundFailed(charge, reservation, found.failure);
    else await charge.refund({ unneeded: [reservation.id] });
  }
}

export interface Reserved {
  outcome: OutputOutcome;
  /** One per file; empty if the outputs could not be reserved. */
  reservations: Reservation[];
}

/** Makes one reservation per slice; if that fails, so does the output. An output that isn't cut keeps its reservation. */
export async function reserveFiles(charge: Charge, name: string, outcome: OutputOutcome, reservation: Reservation): Promise<Reserved> {
  const [first, ...others] = "capture" in outcome ? (outcome.capture.slices ?? []) : [];
  if (!first) return { outcome, reservations: [reservation] };
  try {
    const names: SliceNames = [sliceName(name, 0), ...others.map((_, index) => sliceName(name, index + 1))];
    return { outcome, reservations: await charge.reserveSlices(reservation, names) };
  } catch (failure) {
    return { outcome: { failure }, reservations: [reservation] };
  }
}

/** Refunds failed outputs. The first output carries the cost of the capture; if it failed, the cost moves to an output that succeeded. */
export async function refundFailures(charge: Charge, outputs: Reserved[]): Promise<void> {
  const first = outputs[0]?.reservations[0];
  const carrier = outputs.find(({ outcome }) => "capture" in outcome)?.reservations[0];
  if (first && carrier && carrier.id !== first.id) await charge.move(first, carrier).catch(() => {}); // on failure the capture is free
  const failed = outputs.flatMap(({ outcome, reservations }) =>
    "failure" in outcome ? reservations.map((reservation) => refundFailed(charge, reservation, outcome.failure)) : [],
  );
  await Promise.all(failed);
}
