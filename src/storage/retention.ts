/** Removes expired images and images of deleted users: first the stored object, then its record. */

import type { BaseLogger } from "pino";
import type { Database, Queries } from "../database/database.ts";
import { type Clock, systemClock } from "../shared/clock.ts";
import { abortAfter, untilAborted } from "../shared/deadline.ts";
import { createLoop, type Loop } from "../shared/loop.ts";
import type { ImageStore } from "./store.ts";

export interface Retention extends Loop {
  /** Removes all images that are due, and returns how many it removed. Images that could not be removed are left for a later sweep. */
  sweep(signal: AbortSignal): Promise<number>;
}

interface RetentionParts {
  database: Database;
  store: ImageStore;
  log: BaseLogger;
  clock?: Clock;
  batchSize?: number;
}

interface Expired {
  id: string;
  object_key: string | null;
}

/**
 * Timeout for removing a batch's objects, during which its rows stay locked. Shorter than the database's limit on idle transactions.
 */
const removalTimeoutMs = 5_000;
/** Timeout for a batch's transaction. */
const batchTimeoutMs = 20_000;
const concurrentRemovals = 8;
/** How long an image is skipped after a second failure; doubles with each further failure. */
const firstPauseMs = 3_600_000;
const pauseMaxMs = 24 * 3_600_000;
/** Maximum number of images whose failures are remembered; beyond that, the oldest are forgotten. */
const failedMax = 10_000;

export function createRetention(parts: RetentionParts): Retention {
  const { log } = parts;
  const sweep = createSweep(parts);
  const run = async (closing: AbortSignal) => {
    const removed = await sweep(closing);
    if (removed > 0) log.info({ removed }, "removed expired images");
  };
  return {
    sweep,
    ...createLoop(run, (error) => log.error({ err: error }, "the sweep of expired images failed; retrying in the next sweep")),
  };
}

function createSweep({ database, store, log, clock = systemClock, batchSize = 100 }: RetentionParts): Retention["sweep"] {
  async function removeObjects(expired: Expired[], signal: AbortSignal): Promise<{ removed: string[]; failed: string[] }> {
    const removed: string[] = [];
    const failed: string[] = [];
    const waiting = expired.values();
    const deadline = AbortSignal.any([signal, AbortSignal.timeout(removalTimeoutMs)]);
    const remover = async () => {
      for (const { id, object_key } of waiting) {
        if (deadline.aborted) return; // leaves the remaining images to the next batch
        try {
          if (object_key !== null) await untilAborted(store.remove(object_key, deadline), deadline);
          removed.push(id);
        } catch (error) {
          log.debug({ err: error, imageId: id }, "failed to remove an expired image");
          failed.push(id);
        }
      }
    };
    await Promise.all(Array.from({ length: concurrentRemovals }, remover));
    return { removed, failed };
  }

  const isStoreUsable = (signal: AbortSignal) =>
    abortAfter(removalTimeoutMs, (deadline) => store.check(deadline), signal).then(
      () => true,
      () => false,
    );
  const failures = createFailures(clock);

  return async (signal) => {
    const failed: string[] = [];
    let total = 0;
    while (!signal.aborted) {
      const sweepBatch = async (transaction: Queries) => {
        const expired = await lockExpired(transaction, [...failures.paused(), ...failed], batchSize);
        const batch = await removeObjects(expired, signal);
        if (batch.removed.length > 0) await deleteRecords(transaction, batch.removed);
        return { ...batch, isLast: expired.length === 0 };
      };
      const batch = await database.transaction(sweepBatch, { timeoutMs: batchTimeoutMs });
      failed.push(...batch.failed);
      total += batch.removed.length;
      if (batch.isLast) break;
      if (batch.removed.length === 0 && !(await isStoreUsable(signal))) break; // storage is down, so these images aren't put on hold
      failures.add(batch.failed);
    }
    if (failed.length > 0) log.warn({ failed: failed.length }, "failed to remove expired images; retrying in a later sweep");
    return total;
  };
}

/** Tracks images that could not be removed, such as those under an object lock, and backs off separately for each. */
function createFailures(clock: Clock) {
  const known = new Map<string, { times: number; pausedUntil: number }>();
  return {
    paused: () => [...known].filter(([, { pausedUntil }]) => pausedUntil > clock.now()).map(([id]) => id),
    add(ids: string[]): void {
      for (const id of ids) {
        const times = (known.get(id)?.times ?? 0) + 1;
        const pauseMs = times === 1 ? 0 : Math.min(firstPauseMs * 2 ** (times - 2), pauseMaxMs);
        known.delete(id); // moves the id to the end, so that the oldest failure comes first
        known.set(id, { times, pausedUntil: clock.now() + pauseMs });
      }
      for (const id of known.keys()) {
        if (known.size <= failedMax) break;
        known.delete(id);
      }
    },
  };
}

/**
 * At most `limit` expired records, and at most `limit` records of deleted users; each query uses an index. `skip locked` shares the work
 * among replicas. Pending records are excluded, because they belong to running captures.
 */
async function lockExpired(transaction: Queries, excluded: string[], limit: number): Promise<Expired[]> {
  const { rows } = await transaction.query<Expired>(
    `with expired as (
       select id, object_key from screenshots
        where expires_at <= now() and status <> 'pending' and id <> all($1::uuid[])
        order by expires_at limit $2 for update skip locked
     ), of_deleted as (
       select s.id, s.object_key
         from users u
        cross join lateral (
          select id, object_key from screenshots
           where user_id = u.id and status <> 'pending' and id <> all($1::uuid[])
           order by id desc limit $2 for update skip locked
        ) s
        where u.deleted_at is not null limit $2
     )
     select * from expired union select * from of_deleted`,
    [excluded, limit],
  );
  return rows;
}

async function deleteRecords(transaction: Queries, ids: string[]): Promise<void> {
  await transaction.query("delete from screenshots where id = any($1::uuid[])", [ids]);
}
