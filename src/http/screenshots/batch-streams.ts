/** Streams about batches: bounded for each account, and one reading of a batch for all that follow it. */

import { setTimeout as delay } from "node:timers/promises";
import type { FastifyReply } from "fastify";
import type { BatchRecord, BatchRecords } from "../../accounts/usage/batch-records.ts";
import type { CaptureRecord } from "../../accounts/usage/capture-records.ts";
import { AppError } from "../../errors.ts";
import { createOwnerSums } from "../../owner-sums.ts";
import { onClosed } from "../on-closed.ts";

/** Open at one time for an account, in this process. Each reads its batch twice a second at worst: if all follow different ones. */
export const streamsPerAccountMax = 20;
const retryAfterSeconds = 5;
const pollMs = 500;

/** Counts a stream until the end of `reply`. @throws {AppError} `rate_limited`. */
export type OpenStream = (userId: string, reply: FastifyReply) => void;

export function createStreamLimit(): OpenStream {
  const open = createOwnerSums();
  return (userId, reply) => {
    const count = open.of(userId);
    if (count >= streamsPerAccountMax) {
      const message = `The account has ${count} open streams about batches: close one first, or follow them with GET /v1/batches/{id}.`;
      throw new AppError("rate_limited", { message, retryAfterSeconds });
    }
    open.add(userId, 1);
    onClosed(reply, () => open.add(userId, -1));
  };
}

export interface SharedReads {
  /** The batch in half a second: read once for all that wait for it. Undefined if it is gone. */
  next(userId: string, id: string): Promise<BatchRecord | undefined>;
  /** As `BatchRecords.ended`; read once for all that ask for the same page at the same time. */
  ended: BatchRecords["ended"];
}

/** Only for owners: who may read a batch has been checked before. */
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
