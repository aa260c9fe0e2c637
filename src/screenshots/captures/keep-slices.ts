/** Stores an output's slices, each with its own record and name. */

import type { Caller } from "../../accounts/keys/caller.ts";
import type { Reservation } from "../../accounts/usage/reservation.ts";
import { mayBeCached } from "../take/cache-entry.ts";
import { createKeep, retentionMsOf, type Screenshot, type ToKeep } from "../take/capture-and-store.ts";
import { type TakeRequest, withVersion } from "../take/take-options.ts";

/** A slice of an image, starting at row `y`. */
export type KeptSlice = Screenshot & { y: number };

/** Creates one screenshot per slice, in the order of `reservations`. The slices are cached together once all are stored. */
export type KeepSlices = (
  caller: Caller,
  request: TakeRequest,
  toKeep: Omit<ToKeep, "reservation"> & { reservations: Reservation[] },
) => Promise<KeptSlice[]>;

export function createKeepSlices(parts: Parameters<typeof createKeep>[0]): KeepSlices {
  const keep = createKeep(parts);
  return async (caller, request, { reservations, capture, ...about }) => {
    const uncached = { ...request, maxAgeSeconds: 0 };
    const { slices: cut = [], ...whole } = capture;
    const keeping = cut.map(async ({ y, ...part }, index) => {
      const reservation = reservations[index] as Reservation;
      return { ...(await keep(caller, uncached, { ...about, reservation, capture: { ...whole, ...part } })), y };
    });
    const slices = await Promise.all(keeping);
    const remembered = Promise.all(slices.map(({ stored }) => stored)).then(async (keys) => {
      const [first] = slices;
      const files = slices.flatMap(({ id, etag, bytes, y, width, height }, index) => {
        const objectKey = keys[index];
        return objectKey ? [{ id, objectKey, etag, bytes, y, width: width ?? 0, height: height ?? 0 }] : [];
      });
      if (!first || files.length < slices.length || request.maxAgeSeconds === 0 || !mayBeCached(first.verdict)) return;
      const { image, stored, timings, waitEnded, explanation, y, ...record } = first;
      const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
      const entry = { ...record, width: whole.width, height: whole.height, bytes, objectKey: keys[0] as string, slices: files };
      const { identity } = capture.sessionVersion === undefined ? request : withVersion(request, capture.sessionVersion);
      await parts.cache.remember(caller.userId, identity, entry, retentionMsOf(caller, parts) / 1000);
    });
    return slices.map((slice) => ({ ...slice, stored: remembered.then(() => slice.stored) }));
  };
}

const digits = 2;

/** The name of an output's slice: `name-01` and so on. */
export function sliceName(output: string, index: number): string {
  return `${output}-${String(index + 1).padStart(digits, "0")}`;
}

/** Whether `name` could be the name of a slice of `output`. Ignores case, because the names become file names. */
export function isSliceName(name: string, output: string): boolean {
  return name.toLowerCase().startsWith(`${output.toLowerCase()}-`) && /^\d\d$/.test(name.slice(output.length + 1));
}
