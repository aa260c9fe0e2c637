/** Takes several outputs of one request: reuses cached outputs, and captures the others with as few page loads as possible. */

import type { Caller } from "../../accounts/keys/caller.ts";
import type { Reservation } from "../../accounts/usage/reservation.ts";
import type { CaptureOutputs } from "../../capture/outputs.ts";
import type { PageLinks } from "../../capture/request.ts";
import { ClientGone } from "../../shared/errors.ts";
import type { ShotParts } from "../compare/stored-shots.ts";
import { type CaptureAndStoreParts, createKeep, type Screenshot, type ToKeep } from "../take/capture-and-store.ts";
import type { AcquireLease } from "../take/lease.ts";
import { createSentMark, type SentMark } from "../take/sent-mark.ts";
import { accessOf } from "../take/take-options.ts";
import type { Signals } from "../take/take-screenshot.ts";
import { createKeepSlices } from "./keep-slices.ts";
import { createLeaseOutputs } from "./leases.ts";
import { type LookUpParts, lookUp } from "./look-up.ts";
import {
  costOfOutputs,
  endUnneeded,
  type QueuedOutputs,
  type Reserved,
  refundFailures,
  reservedForOutputs,
  reserveFiles,
} from "./reservations.ts";
import type { OutputRequest, TakenOutput, TakenOutputs } from "./taken-outputs.ts";

/**
 * Charges `costOfOutputs` for the outputs that are captured, unless all of them fail. Cached outputs are free.
 * @param captureId UUIDv7 under which the outputs are recorded.
 * @param queued the reservations of a queued capture; by default the outputs are reserved now.
 * @throws the reason of `disconnected`, or of `deadline` if it aborts while another request is capturing the same output. In either case
 *   nothing is stored or charged, unless `disconnected` aborts while stored outputs are being compared. For a queued capture, also throws
 *   a failure that should be retried, and {@link ClientGone} if its outputs are not kept. Also throws errors from preparing the requests,
 *   and `unavailable` if the database fails. All other failures are in the result.
 */
export type TakeOutputs = (
  caller: Caller,
  captureId: string,
  outputs: OutputRequest[],
  signals: Signals,
  queued?: QueuedOutputs,
) => Promise<TakenOutputs>;

interface TakeOutputsParts extends Omit<CaptureAndStoreParts, "takeCapture">, ShotParts, LookUpParts {
  captureOutputs: CaptureOutputs;
  acquireLease: AcquireLease;
}

export function createTakeOutputs(parts: TakeOutputsParts): TakeOutputs {
  const take = createTake(parts);
  return async (caller, captureId, requested, signals, queued) => {
    if (!requested.some(({ request }) => request.options.compare_to !== undefined))
      return await take(caller, captureId, requested, signals, queued);
    const compared = Promise.withResolvers<void>();
    try {
      const taken = await take(caller, captureId, requested, signals, queued, compared.promise);
      const { compareOutputs } = await import("../compare/compare-to.ts");
      const within = { viewer: caller, isQueued: queued !== undefined, deadlineAt: signals.deadlineAt, signal: signals.disconnected };
      return { ...taken, outputs: await compareOutputs(parts, requested, taken.outputs, within) };
    } finally {
      compared.resolve();
    }
  };
}

/** Takes the outputs without comparing them. Their memory counts as held until `heldUntil` resolves. */
function createTake(parts: TakeOutputsParts): (...of: [...Parameters<TakeOutputs>, heldUntil?: Promise<void>]) => Promise<TakenOutputs> {
  const { charge } = parts;
  const leaseOutputs = createLeaseOutputs(parts);
  const captureAndKeep = createCaptureAndKeep(parts);

  /** The outputs also count as held until the archive counts them, because it may have no room for all of them at once. */
  async function takeMissing(
    caller: Caller,
    missing: OutputRequest[],
    signals: Signals,
    reserving: Promise<Reservation[]>,
    taking: Taking,
  ) {
    const admitted = Promise.withResolvers<unknown>();
    try {
      const heldUntil = Promise.all([taking.heldUntil, admitted.promise]);
      const taken = await captureAndKeep(caller, missing, signals, reserving, { ...taking, heldUntil });
      const kept = taken.outputs.flatMap((one) => ("screenshot" in one ? (one.slices ?? [one.screenshot]) : []));
      admitted.resolve(Promise.all(kept.map((one) => one.admitted)));
      return taken;
    } finally {
      admitted.resolve(undefined);
    }
  }

  return async (caller, captureId, requested, signals, queued, heldUntil) => {
    const { outputs, known } = await lookUp(parts, requested, { caller, signals, queued });
    const leases = await leaseOutputs(caller, outputs, known, signals);
    try {
      if (queued) await endUnneeded(charge, queued, outputs, known);
      const missing = outputs.filter((_, index) => !known[index]);
      if (missing.length === 0) return { outputs: known as TakenOutput[], loads: 0 };
      const reserving = queued
        ? Promise.resolve(missing.flatMap(({ name }) => queued.reservations.get(name) ?? []))
        : charge.reserve(caller, [{ captureId, costs: costOfOutputs(missing), outputs: reservedForOutputs(caller, missing, parts) }]);
      const sentMark = queued ? undefined : createSentMark(parts.clock, Math.max(...missing.map(({ request }) => request.options.timeout)));
      const { outputs: taken, loads } = await takeMissing(caller, missing, signals, reserving, { queued, sentMark, heldUntil });
      for (const [index, one] of taken.entries())
        if ("screenshot" in one) leases.endOnceStored(missing[index] as OutputRequest, one.screenshot.stored);
      return { outputs: known.map((one) => one ?? (taken.shift() as TakenOutput)), loads, markSent: sentMark?.markSent };
    } finally {
      leases.end();
    }
  };
}

/** Returns a function that captures outputs and begins to store them. */
function createCaptureAndKeep(parts: TakeOutputsParts) {
  const { charge, captureOutputs } = parts;
  const keepOutput = createKeepOutput(parts);
  return async (
    caller: Caller,
    missing: OutputRequest[],
    { disconnected, deadline, deadlineAt }: Signals,
    reserving: Promise<Reservation[]>,
    { queued, sentMark, heldUntil }: Taking,
  ): Promise<TakenOutputs> => {
    const about = { started: performance.now(), isPatient: queued?.isPatient, waitsForRoom: true, sentMark };
    const refused = new AbortController();
    reserving.catch((error) => refused.abort(error));
    const { outcomes, loads, links } = await captureOutputs({
      outputs: missing.map(({ request }) => request.options),
      account: caller.userId,
      signal: AbortSignal.any([disconnected, deadline, refused.signal]),
      ...{ deadlineAt, permission: reserving, readsLinks: queued?.accepts !== undefined, beforeLoad: queued?.beforeLoad, heldUntil },
      ...accessOf(caller, missing[0]?.request, parts),
    });
    for (const outcome of outcomes) if ("failure" in outcome && queued?.mayRetry(outcome.failure)) throw outcome.failure;
    if (queued && !(await isKept(queued, links))) throw new ClientGone();
    const reservations = await reserving.catch(() => []); // if this rejects, all outputs have failed with its error
    const reserved = await Promise.all(
      outcomes.map((outcome, index) => {
        const [output, reservation] = [missing[index], reservations[index]];
        if (!output || !reservation) return { outcome, reservations: [] };
        return disconnected.aborted ? { outcome, reservations: [reservation] } : reserveFiles(charge, output.name, outcome, reservation);
      }),
    );
    const kept = disconnected.aborted ? reserved.map((one) => ({ ...one, outcome: { failure: disconnected.reason } })) : reserved;
    await refundFailures(charge, kept);
    disconnected.throwIfAborted();
    const taking = kept.map((one, index) => keepOutput(caller, missing[index] as OutputRequest, one, about));
    return { outputs: await Promise.all(taking), loads };
  };
}

interface Taking {
  queued: Omit<QueuedOutputs, "reservations"> | undefined;
  sentMark: SentMark | undefined;
  heldUntil: Promise<unknown> | undefined;
}

/** Whether to keep the outputs of a queued capture that has finished. */
async function isKept({ isWanted, accepts }: Omit<QueuedOutputs, "reservations">, links: PageLinks | undefined): Promise<boolean> {
  return (await isWanted?.()) !== false && (await accepts?.(links)) !== false;
}

function createKeepOutput(parts: TakeOutputsParts) {
  const keep = createKeep(parts);
  const keepSlices = createKeepSlices(parts);
  return async (
    caller: Caller,
    { request }: OutputRequest,
    reserved: Reserved,
    about: Pick<ToKeep, "started" | "isPatient" | "waitsForRoom" | "sentMark">,
  ): Promise<TakenOutput> => {
    const { outcome, reservations } = reserved;
    const [reservation] = reservations;
    if ("failure" in outcome || !reservation) return outcome as TakenOutput;
    const { capture, loadedAgain } = outcome;
    if (!capture.slices) return { screenshot: await keep(caller, request, { ...about, reservation, capture }), loadedAgain };
    const slices = await keepSlices(caller, request, { ...about, reservations, capture });
    const { width, height } = capture;
    return { screenshot: slices[0] as Screenshot, loadedAgain, slices, whole: { width, height } };
  };
}
