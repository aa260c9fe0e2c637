/** Arguments of the operations in charge.ts: captures to reserve, their reservations, and what was delivered. */

import type { Queries } from "../../database/database.ts";

/** A capture to reserve. Its first output carries the cost. */
export interface ReservedCapture {
  /** UUIDv7, under which its outputs are recorded; absent for a capture with a single output and no record of its own. */
  captureId?: string;
  /** In screenshots; 1 by default. */
  costs?: number;
  /** At least one. Within one call, all have the same `reservedMs` and `expiresAt`. */
  outputs: ReservedOutput[];
}

export interface ReservedOutput {
  /** UUIDv7. */
  id: string;
  url: string;
  /** Excludes the values of cookies, headers and authorization. */
  options: object;
  cacheKey: Buffer;
  /** Milliseconds after which, by the database's clock, the reservation is considered abandoned. */
  reservedMs: number;
  /** Time at which the record's retention ends. */
  expiresAt: Date;
  /** Name of the output, if the capture has several. */
  output?: string;
}

/** The reservation of one output; it has the same id as the output's screenshot. */
export interface Reservation {
  id: string;
  /** Expiry time by this process's clock, in Unix milliseconds. After that, the sweep may have refunded the reservation. */
  endsAtMs: number;
}

/** Names of an output, and of its first slice if it is split. */
export interface OutputNames {
  name: string;
  firstSlice: string;
}

/** Names of the slices, in order. */
export type SliceNames = [first: string, ...others: string[]];

export interface SettledImage {
  /** Key under which the image is cached; the reserved key by default. */
  cacheKey?: Buffer;
  format: string;
  /** In pixels; null for a document. */
  width: number | null;
  height: number | null;
  bytes: number;
  durationMs: number;
  /** The page's title; empty if it has none. */
  title: string;
  verdict: string;
  /** Null if the verdict doesn't require a reason. */
  verdictReason: string | null;
  /** Null if the image was delivered but not stored. */
  objectKey: string | null;
  /** HTTP status of the target's response; null if unknown. */
  targetStatus: number | null;
  finalUrl: string;
  warnings: string[];
  /** Duration of each phase in milliseconds. */
  timings: object;
  explanation?: object | undefined;
  /** Runs in the transaction that completes the record. */
  onRecorded?: ((transaction: Queries) => Promise<void>) | undefined;
}
