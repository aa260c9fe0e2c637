/** Types of a quota reservation for one screenshot, from its creation to its settlement. */

/** The screenshot to reserve. */
export interface ReservedCapture {
  /** UUIDv7. */
  id: string;
  url: string;
  /** Excludes the values of cookies, headers and authorization. */
  options: object;
  cacheKey: Buffer;
  leaseMs: number; // then, by the database's clock, the reservation counts as abandoned
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
  /** The page's title; empty: none. */
  title: string;
  verdict: string;
  /** null: the verdict needs no reason. */
  verdictReason: string | null;
  /** null: delivered, but not stored. */
  objectKey: string | null;
  /** HTTP status of the target's response; null: unknown. */
  targetStatus: number | null;
  finalUrl: string;
  warnings: string[];
  /** Duration of each phase in milliseconds. */
  timings: object;
  explanation?: object | undefined;
}

export interface Reservation {
  id: string;
  /** End of the lease by this process's clock, in Unix milliseconds. After it, the sweep may have refunded the reservation. */
  endsAtMs: number;
  /** Confirms the charge. Returns false and changes nothing if the reservation was already settled, refunded or swept. */
  settle(image: SettledImage): Promise<boolean>;
  /** Refunds a failed capture. Returns false and changes nothing if the reservation was already settled, refunded or swept. */
  refund(errorCode: string, explanation?: object): Promise<boolean>;
  /** Refunds and deletes the record, as no capture was needed. Returns false and changes nothing if it is no longer pending. */
  withdraw(): Promise<boolean>;
}
