/** One screenshot of a month's quota, from its reservation to its end. */

/** What a screenshot is reserved for. */
export interface ReservedCapture {
  /** UUIDv7. */
  id: string;
  url: string;
  /** Without the values of cookies, headers and authorization. */
  options: object;
  cacheKey: Buffer;
  leaseMs: number; // afterwards, by the database's clock, the reservation counts as abandoned
  /** End of the record's retention. */
  expiresAt: Date;
  /** Name of the output, if the capture has several. */
  output?: string;
}

export interface SettledImage {
  format: string;
  /** Pixels; null: a document. */
  width: number | null;
  height: number | null;
  bytes: number;
  durationMs: number;
  /** Of the page; empty: none. */
  title: string;
  verdict: string;
  /** null: nothing to say. */
  verdictReason: string | null;
  /** null: delivered, but not stored. */
  objectKey: string | null;
  /** Of the target's response; null: unknown. */
  targetStatus: number | null;
  finalUrl: string;
  warnings: string[];
  /** Milliseconds of each phase. */
  timings: object;
  explanation?: object | undefined;
}

export interface Reservation {
  id: string;
  /** End of the lease by this process's clock: later, the sweep may have refunded it. Unix milliseconds. */
  endsAtMs: number;
  /** The screenshot counts. False, and nothing changes, when the reservation was settled, refunded or swept before. */
  settle(image: SettledImage): Promise<boolean>;
  /** The capture failed and costs nothing. False, and nothing changes, when the reservation was settled, refunded or swept before. */
  refund(errorCode: string, explanation?: object): Promise<boolean>;
  /** No capture was needed: removes the record, which costs nothing. False, and nothing changes, when it is no longer pending. */
  withdraw(): Promise<boolean>;
}
