/** Several outputs of one request: those that are cached, and captures of the others from as few loads of the page as they allow. */

import type { Caller } from "../accounts/keys/caller.ts";
import type { MoveCost } from "../accounts/usage/move-cost.ts";
import type { Quota } from "../accounts/usage/quota.ts";
import type { Reservation } from "../accounts/usage/reservation.ts";
import type { SliceNames } from "../accounts/usage/reserve-slices.ts";
import type { CaptureOutputs, Outcome } from "../capture/capture-outputs.ts";
import type { CachedImage } from "./cache.ts";
import { type CaptureAndStoreParts, createKeep, navigationOf, refundFailed, reservedFor, type Screenshot } from "./capture-and-store.ts";
import { createKeepSlices, type KeptSlice } from "./keep-slices.ts";
import type { TakeLease } from "./lease.ts";
import { createLeaseOutputs } from "./output-leases.ts";
import { sliceName } from "./slice-name.ts";
import type { Signals, TakeScreenshot } from "./take.ts";
import type { TakeRequest } from "./take-request.ts";

/** One of the outputs. Its name is unique among them. */
export interface OutputRequest {
  name: string;
  request: TakeRequest;
}

/** Of several `slices`, `screenshot` is the first. */
export type TakenOutput = TakenScreenshot | { cached: CachedImage } | { failure: unknown };

interface TakenScreenshot {
  screenshot: Screenshot;
  loadedAgain: boolean;
  slices?: KeptSlice[];
  /** Pixels of all slices together. */
  whole?: { width: number | null; height: number | null };
}

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
  const keepOutput = createKeepOutput(parts);

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
    const reserved = await Promise.all(
      outcomes.map((outcome, index) => {
        const [output, reservation] = [missing[index], reservations[index]];
        if (!output || !reservation) return { outcome, reservations: [] };
        return disconnected.aborted ? { outcome, reservations: [reservation] } : reserveFiles(quota, output.name, outcome, reservation);
      }),
    );
    const kept = disconnected.aborted ? reserved.map((one) => ({ ...one, outcome: { failure: disconnected.reason } })) : reserved;
    await refundFailures(moveCost, kept);
    disconnected.throwIfAborted();
    const taking = kept.map((one, index) => keepOutput(caller, missing[index] as OutputRequest, one, started));
    return { outputs: await Promise.all(taking), loads };
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

interface Reserved {
  outcome: Outcome;
  /** Of each file; none if the outputs could not be reserved. */
  reservations: Reservation[];
}

/** The reservation of each slice, and for other outputs their own. */
async function reserveFiles(quota: Quota, name: string, outcome: Outcome, reservation: Reservation): Promise<Reserved> {
  const [first, ...others] = "capture" in outcome ? (outcome.capture.slices ?? []) : [];
  if (!first) return { outcome, reservations: [reservation] };
  try {
    const names: SliceNames = [sliceName(name, 0), ...others.map((_, index) => sliceName(name, index + 1))];
    return { outcome, reservations: await quota.reserveSlices(reservation, names) };
  } catch (failure) {
    return { outcome: { failure }, reservations: [reservation] };
  }
}

function createKeepOutput(parts: TakeOutputsParts) {
  const keep = createKeep(parts);
  const keepSlices = createKeepSlices(parts);
  return async (caller: Caller, { request }: OutputRequest, reserved: Reserved, started: number): Promise<TakenOutput> => {
    const { outcome, reservations } = reserved;
    const [reservation] = reservations;
    if ("failure" in outcome || !reservation) return outcome as TakenOutput;
    const { capture, loadedAgain } = outcome;
    if (!capture.slices) return { screenshot: await keep(caller, request, { reservation, capture, started }), loadedAgain };
    const slices = await keepSlices(caller, request, { reservations, capture, started });
    const { width, height } = capture;
    return { screenshot: slices[0] as Screenshot, loadedAgain, slices, whole: { width, height } };
  };
}

/** The first output has what the capture costs; if it fails, another one gets it. */
async function refundFailures(moveCost: MoveCost, outputs: Reserved[]): Promise<void> {
  const first = outputs[0]?.reservations[0];
  const heir = outputs.find(({ outcome }) => "capture" in outcome)?.reservations[0];
  if (first && heir && heir.id !== first.id) await moveCost(first, heir).catch(() => {}); // then the capture costs nothing
  const failed = outputs.flatMap(({ outcome, reservations }) =>
    "failure" in outcome ? reservations.map((reservation) => refundFailed(reservation, outcome.failure)) : [],
  );
  await Promise.all(failed);
}
