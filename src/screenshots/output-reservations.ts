/** The reservations of a capture's outputs: one of them has what the capture costs. */

import type { Caller } from "../accounts/keys/caller.ts";
import type { MoveCost } from "../accounts/usage/move-cost.ts";
import type { Quota } from "../accounts/usage/quota.ts";
import type { Reservation } from "../accounts/usage/reservation.ts";
import type { SliceNames } from "../accounts/usage/reserve-slices.ts";
import type { Outcome } from "../capture/capture-outputs.ts";
import { AppError } from "../errors.ts";
import { refundFailed, reservedFor } from "./capture-and-store.ts";
import { sliceName } from "./slice-name.ts";
import type { OutputRequest, TakenOutput } from "./taken-outputs.ts";

/** What a capture that was queued has reserved before. */
export interface QueuedOutputs {
  /** Of each output by its name, unless it was found in the cache in an earlier attempt. */
  reservations: Map<string, Reservation>;
  /** Failures for which the whole capture is to be tried again: then its reservations stay, and the failure is thrown. */
  mayRetry: (failure: unknown) => boolean;
  /** Whether the outputs' `stored` waits for all attempts to store them: no caller waits for the capture. */
  isPatient: boolean;
  /** Whether someone still waits for the capture; by default its end is wanted anyway. */
  isWanted?: () => Promise<boolean>;
}

/** With new ids, in their order. */
export function reservedForOutputs(caller: Caller, outputs: OutputRequest[], parts: Parameters<typeof reservedFor>[2]) {
  return outputs.map(({ name, request }) => ({ ...reservedFor(caller, request, parts), output: name }));
}

/**
 * Ends the reservations of outputs that need no capture; what the capture costs passes to one that does.
 * @param known what needs none. Outputs without a reservation are added to it, as failed.
 */
export async function giveBack(
  moveCost: MoveCost,
  { reservations }: QueuedOutputs,
  outputs: OutputRequest[],
  known: (TakenOutput | undefined)[],
): Promise<void> {
  for (const [index, { name }] of outputs.entries())
    if (!reservations.has(name)) known[index] ??= { failure: new AppError("unavailable", { message: "The cached output is gone." }) };
  const heir = reservations.get(outputs[known.indexOf(undefined)]?.name ?? "");
  for (const [index, { name }] of outputs.entries()) {
    const [reservation, found] = [reservations.get(name), known[index]];
    if (!reservation || !found) continue;
    if (heir) await moveCost(reservation, heir);
    if ("failure" in found) await refundFailed(reservation, found.failure);
    else await reservation.withdraw();
  }
}

export interface Reserved {
  outcome: Outcome;
  /** Of each file; none if the outputs could not be reserved. */
  reservations: Reservation[];
}

/** The reservation of each slice, and for other outputs their own. */
export async function reserveFiles(quota: Quota, name: string, outcome: Outcome, reservation: Reservation): Promise<Reserved> {
  const [first, ...others] = "capture" in outcome ? (outcome.capture.slices ?? []) : [];
  if (!first) return { outcome, reservations: [reservation] };
  try {
    const names: SliceNames = [sliceName(name, 0), ...others.map((_, index) => sliceName(name, index + 1))];
    return { outcome, reservations: await quota.reserveSlices(reservation, names) };
  } catch (failure) {
    return { outcome: { failure }, reservations: [reservation] };
  }
}

/** The first output has what the capture costs; if it fails, another one gets it. */
export async function refundFailures(moveCost: MoveCost, outputs: Reserved[]): Promise<void> {
  const first = outputs[0]?.reservations[0];
  const heir = outputs.find(({ outcome }) => "capture" in outcome)?.reservations[0];
  if (first && heir && heir.id !== first.id) await moveCost(first, heir).catch(() => {}); // then the capture costs nothing
  const failed = outputs.flatMap(({ outcome, reservations }) =>
    "failure" in outcome ? reservations.map((reservation) => refundFailed(reservation, outcome.failure)) : [],
  );
  await Promise.all(failed);
}
