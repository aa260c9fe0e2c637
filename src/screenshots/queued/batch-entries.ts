/** Adds captures to a batch, with their reservations and jobs. */

import { v7 } from "uuid";
import type { Caller } from "../../accounts/keys/caller.ts";
import type { Charge } from "../../accounts/usage/charge.ts";
import type { Queries } from "../../database/database.ts";
import type { JobQueue } from "../../jobs/queue.ts";
import type { Clock } from "../../shared/clock.ts";
import type { Seal } from "../../shared/seal.ts";
import { costOfOutputs, reservedForOutputs } from "../captures/reservations.ts";
import type { OutputRequest } from "../captures/taken-outputs.ts";
import { hostOf, queuedReservationMs, writeQueued } from "./queued-request.ts";
import { addCaptures, type NewCaptures } from "./records.ts";

export interface BatchEntry {
  /** Unique in the batch. */
  name: string;
  outputs: OutputRequest[];
}

export interface NewEntries {
  batchId: string;
  /** Position of the first capture in the batch. */
  first: number;
  /** At least one. */
  captures: BatchEntry[];
  /** Creates the batch once its captures are charged; absent if the batch already exists. */
  begin?: (expiresAt: Date) => Promise<void>;
  /** Set for a crawl's pages. */
  crawl?: NewCaptures["crawl"];
}

export interface EntriesParts {
  queue: JobQueue;
  seal: Seal;
  chargeIn: (queries: Queries) => Charge;
  clock: Clock;
  retentionDaysMax: number | undefined;
}

/** Timeout for a transaction that adds captures. Adding a thousand takes about a second. */
export const addingTimeoutMs = 20_000;

/**
 * Charges and queues all captures, or none. @param transaction should have a timeout of `addingTimeoutMs`.
 * @returns the captures' ids, in order.
 * @throws {AppError} `quota_exceeded`; `invalid_api_key` if the account's row is gone; `unavailable`.
 */
export type AddEntries = (transaction: Queries, caller: Caller, entries: NewEntries) => Promise<string[]>;

/** Maximum number of outputs written at a time. Preparing them takes about ten milliseconds; other requests are served in between. */
const outputsPerPiece = 100;

function* piecesOf(captures: BatchEntry[]): Generator<BatchEntry[]> {
  let piece: BatchEntry[] = [];
  let count = 0;
  for (const capture of captures) {
    count += capture.outputs.length;
    if (count > outputsPerPiece && piece.length > 0) {
      yield piece;
      [piece, count] = [[], capture.outputs.length];
    }
    piece.push(capture);
  }
  yield piece;
}

export function createAddEntries(parts: EntriesParts): AddEntries {
  const { queue, seal } = parts;
  return async (transaction, caller, { batchId, first, captures, begin, crawl }) => {
    const { userId, id: keyId } = caller;
    const charge = parts.chargeIn(transaction);
    const charged = captures.reduce((sum, { outputs }) => sum + costOfOutputs(outputs), 0);
    const ids: string[] = [];
    for (const piece of piecesOf(captures)) {
      const made = piece.map(({ name, outputs }) => ({ id: v7(), name, outputs }));
      const reserved = made.map((one) => ({
        captureId: one.id,
        costs: costOfOutputs(one.outputs),
        outputs: reservedForOutputs(caller, one.outputs, parts).map((output) => ({ ...output, reservedMs: queuedReservationMs })),
      }));
      await charge.reserve(caller, reserved, ids.length === 0 ? charged : 0);
      const expiresAt = reserved[0]?.outputs[0]?.expiresAt ?? new Date(parts.clock.now());
      if (ids.length === 0) await begin?.(expiresAt);
      const requests = made.map((one) => ({
        id: one.id,
        name: one.name,
        host: hostOf(one.outputs, userId),
        request: seal.close(writeQueued({ outputs: one.outputs, isAwaited: false }), one.id),
      }));
      const batch = { id: batchId, first: first + ids.length };
      const added = { userId, keyId, isAwaited: false, expiresAt, batch, crawl, captures: requests };
      const { positions } = await addCaptures(transaction, added);
      await queue.send(transaction, ...made.map((one) => ({ id: one.id, userId, priority: -(positions.get(one.id) ?? 0) })));
      ids.push(...made.map(({ id }) => id));
    }
    return ids;
  };
}
