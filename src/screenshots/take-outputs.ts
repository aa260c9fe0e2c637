/** Several outputs of one request: those that are cached, and captures of the others from as few loads of the page as they allow. */

import type { Caller } from "../accounts/keys/caller.ts";
import type { MoveCost } from "../accounts/usage/move-cost.ts";
import type { Reservation } from "../accounts/usage/reservation.ts";
import type { CaptureOutputs, Outcome } from "../capture/capture-outputs.ts";
import type { CachedImage } from "./cache.ts";
import { type CaptureAndStoreParts, createKeep, navigationOf, refundFailed, reservedFor, type Screenshot } from "./capture-and-store.ts";
import type { TakeLease } from "./lease.ts";
import { createLeaseOutputs } from "./output-leases.ts";
import type { Signals, TakeScreenshot } from "./take.ts";
import type { TakeRequest } from "./take-request.ts";

/** One of the outputs. Its name is unique among them. */
export interface OutputRequest {
  name: string;
  request: TakeRequest;
}

export type TakenOutput = { screenshot: Screenshot; loadedAgain: boolean } | { cached: CachedImage } | { failure: unknown };

export interface TakenOutputs {
  /** In the order of the outputs. */
  outputs: TakenOutput[];
  /** How often the page was loaded. */
  loads: number;
}

/**
 * Costs one screenshot of the quota unless all outputs are cached, or all fail.
 * @param captureId UUIDv7, under which the outputs are recorded.
 * @throws the reason of `disconnected`: then nothing is stored, and nothing costs anything.
 */
export type TakeOutputs = (caller: Caller, captureId: string, outputs: OutputRequest[], signals: Signals) => Promise<TakenOutputs>;

interface TakeOutputsParts extends Omit<CaptureAndStoreParts, "takeCapture"> {
  captureOutputs: CaptureOutputs;
  moveCost: MoveCost;
  takeScreenshot: Pick<TakeScreenshot, "find" | "vet">;
  takeLease: TakeLease;
}

export function createTakeOutputs(parts: TakeOutputsParts): TakeOutputs {
  const { quota, captureOutputs, moveCost, takeScreenshot } = parts;
  const leaseOutputs = createLeaseOutputs(parts);
  const keep = createKeep(parts);

  async function takeMissing(caller: Caller, captureId: string, missing: OutputRequest[], signals: Signals): Promise<TakenOutputs> {
    const { disconnected, deadline, deadlineAt } = signals;
    const reserving = quota.reserveOutputs(
      caller,
      captureId,
      missing.map(({ name, request }) => ({ ...reservedFor(caller, request, parts), output: name })),
    );
    const started = performance.now();
    const refused = new AbortController();
    reserving.catch((error) => refused.abort(error));
    const { outcomes, loads } = await captureOutputs({
      outputs: missing.map(({ request }) => request.options),
      owner: caller.userId,
      signal: AbortSignal.any([disconnected, deadline, refused.signal]),
      deadlineAt,
      permission: reserving,
      ...navigationOf(caller),
    });
    const reservations = await reserving.catch(() => []); // without any, its error is why all have failed
    const kept = disconnected.aborted ? outcomes.map((): Outcome => ({ failure: disconnected.reason })) : outcomes;
    await refundFailures(moveCost, reservations, kept);
    disconnected.throwIfAborted();
    const keepOne = async (outcome: Outcome, index: number): Promise<TakenOutput> => {
      const [output, reservation] = [missing[index], reservations[index]];
      if ("failure" in outcome || !output || !reservation) return outcome as TakenOutput;
      const screenshot = await keep(caller, output.request, { reservation, capture: outcome.capture, started });
      return { screenshot, loadedAgain: outcome.loadedAgain };
    };
    return { outputs: await Promise.all(kept.map(keepOne)), loads };
  }

  return async (caller, captureId, outputs, signals) => {
    const known = await Promise.all(outputs.map(({ request }) => withoutCapture(takeScreenshot, request, { caller, signals })));
    const leases = await leaseOutputs(caller, outputs, known, signals);
    const missing = outputs.filter((_, index) => !known[index]);
    if (missing.length === 0) return { outputs: known as TakenOutput[], loads: 0 };
    try {
      const { outputs: taken, loads } = await takeMissing(caller, captureId, missing, signals);
      for (const [index, output] of missing.entries()) {
        const one = taken[index];
        if (one && "screenshot" in one) leases.endOnceStored(output, one.screenshot.stored);
      }
      return { outputs: known.map((one) => one ?? (taken.shift() as TakenOutput)), loads };
    } finally {
      leases.end();
    }
  };
}

/** What needs no capture: a cached output, or one whose target may not be reached. */
async function withoutCapture(
  takeScreenshot: TakeOutputsParts["takeScreenshot"],
  request: TakeRequest,
  { caller, signals }: { caller: Caller; signals: Signals },
): Promise<TakenOutput | undefined> {
  try {
    const found = await takeScreenshot.find(caller, request);
    if (found?.use === "fresh") return { cached: found.stored };
    await takeScreenshot.vet(request, signals);
    return undefined;
  } catch (failure) {
    signals.disconnected.throwIfAborted();
    return { failure };
  }
}

/** The first output has what the capture costs; if it fails, another one gets it. */
async function refundFailures(moveCost: MoveCost, reservations: Reservation[], outcomes: Outcome[]): Promise<void> {
  const [first] = reservations;
  const heir = reservations[outcomes.findIndex((outcome) => "capture" in outcome)];
  if (first && heir && heir !== first) await moveCost(first, heir).catch(() => {}); // then the capture costs nothing
  await Promise.all(
    reservations.map(async (reservation, index) => {
      const outcome = outcomes[index];
      if (outcome && "failure" in outcome) await refundFailed(reservation, outcome.failure);
    }),
  );
}
