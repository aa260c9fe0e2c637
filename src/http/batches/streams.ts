/** Limits the batch streams of each account, and shares database reads between streams of the same batch. */

import { setTimeout as delay } from "node:timers/promises";
import type { BatchRecord, BatchRecords } from "../../screenshots/queue/batch-records.ts";
import type { CaptureRecord } from "../../screenshots/queue/records.ts";
import { createOpenLimit, type OpenLimit } from "../server/client-limits.ts";

/** Maximum concurrent streams per account and process. In the worst case, each follows a different batch and reads it twice a second. */
export const streamsPerAccountMax = 20;
const pollMs = 500;

export function createStreamLimit(): OpenLimit {
  return createOpenLimit(
    streamsPerAccountMax,
    (count) => `The account has ${count} open batch streams: close one first, or poll with GET /v1/batches/{id}.`,
  );
}

export interface SharedReads {
  /** Waits half a second, then reads the batch once for all waiting streams. Undefined if it has been deleted. */
  next(userId: string, id: string): Promise<BatchRecord | undefined>;
  /** Like `BatchRecords.ended`, with one query for concurrent requests for the same page. */
  ended: BatchRecords["ended"];
}

/** Callers must have checked access to the batch. */
export function createSharedReads(records: Pick<BatchRecords, "find" | "ended">): SharedReads {
  const batches = new Map<string, Promise<BatchRecord | undefined>>();
  const pages = new Map<string, Promise<CaptureRecord[]>>();
  return {
    next: (userId, id) =>
      once(batches, id, async () => {
        await delay(pollMs);
        return await records.find({ userId }, id);
      }),
    ended: (id, after, limit) => once(pages, `${id} ${after} ${limit}`, () => records.ended(id, after, limit)),
  };
}

function once<T>(running: Map<string, Promise<T>>, key: string, read: () => Promise<T>): Promise<T> {
  const known = running.get(key);
  if (known) return known;
  const reading = read().finally(() => running.delete(key));
  running.set(key, reading);
  return reading;
}
