/** Removes pictures whose time is over, or whose user is gone: the stored object first, then its record. */

import type { BaseLogger } from "pino";
import type { Database, Queries } from "../database.ts";
import { untilAborted } from "../deadline.ts";
import type { ImageStore } from "./store.ts";

export interface Retention {
  /** Removes everything that has expired; what could not be removed stays for a later sweep. Returns how many were removed. */
  sweep(signal: AbortSignal): Promise<number>;
  /** Sweeps about every `everyMs` milliseconds until closed. Any number of replicas may. */
  start(everyMs: number): void;
  /** Ends the sweeping; a sweep that runs finishes its record-keeping first. */
  close(): Promise<void>;
}

interface RetentionParts {
  database: Database;
  store: ImageStore;
  log: BaseLogger;
  batchSize?: number;
}

interface Expired {
  id: string;
  object_key: string | null;
}

/** For the objects of one batch: their rows are locked meanwhile, and the database ends transactions that idle for longer. */
const removalTimeoutMs = 5_000;
/** For one batch: finding, removing and deleting it. */
const batchTimeoutMs = 20_000;
const removedAtOnce = 8;

export function createRetention({ database, store, log, batchSize = 100 }: RetentionParts): Retention {
  const closing = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();

  async function sweep(signal: AbortSignal): Promise<number> {
    const stuck: string[] = [];
    let removed = 0;
    while (!signal.aborted) {
      const batch = await sweepBatch(signal, stuck);
      removed += batch.removed;
      stuck.push(...batch.stuck);
      // Nothing is left, or the storage is away and asking it for the rest would only take longer.
      if (batch.removed === 0) break;
    }
    if (stuck.length > 0) log.warn({ stuck: stuck.length }, "failed to remove expired images; retrying in the next sweep");
    return removed;
  }

  async function sweepBatch(signal: AbortSignal, stuckBefore: string[]): Promise<{ removed: number; stuck: string[] }> {
    const sweep = async (transaction: Queries) => {
      const expired = await lockExpired(transaction, stuckBefore, batchSize);
      const { gone, stuck } = await removeObjects(expired, signal);
      if (gone.length > 0) await deleteRecords(transaction, gone);
      return { removed: gone.length, stuck };
    };
    return await database.transaction(sweep, { timeoutMs: batchTimeoutMs });
  }

  async function removeObjects(expired: Expired[], signal: AbortSignal): Promise<{ gone: string[]; stuck: string[] }> {
    const gone: string[] = [];
    const stuck: string[] = [];
    const waiting = expired.values();
    const limit = AbortSignal.any([signal, AbortSignal.timeout(removalTimeoutMs)]);
    const remover = async () => {
      for (const { id, object_key } of waiting) {
        if (limit.aborted) return; // the next batch finds the rest
        try {
          if (object_key !== null) await untilAborted(store.remove(object_key, limit), limit);
          gone.push(id);
        } catch (error) {
          log.debug({ err: error, imageId: id }, "failed to remove an expired image");
          stuck.push(id);
        }
      }
    };
    await Promise.all(Array.from({ length: removedAtOnce }, remover));
    return { gone, stuck };
  }

  /** A random pause first, so that replicas do not sweep in step. */
  function schedule(everyMs: number): void {
    timer = setTimeout(
      () => {
        running = sweepAndLog().then(() => {
          if (!closing.signal.aborted) schedule(everyMs);
        });
      },
      everyMs * (0.5 + Math.random()),
    ).unref();
  }

  async function sweepAndLog(): Promise<void> {
    try {
      const removed = await sweep(closing.signal);
      if (removed > 0) log.info({ removed }, "removed expired images");
    } catch (error) {
      log.error({ err: error }, "the sweep of expired images failed; retrying in the next one");
    }
  }

  return {
    sweep,
    start: schedule,
    async close() {
      closing.abort(new Error("the service is closing"));
      clearTimeout(timer);
      await running;
    },
  };
}

/**
 * At most `limit` whose time is over, and as many of deleted users, whose pictures have none; each by its index. `skip locked` shares the
 * work among replicas; a pending row belongs to its running capture.
 */
async function lockExpired(transaction: Queries, stuck: string[], limit: number): Promise<Expired[]> {
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
    [stuck, limit],
  );
  return rows;
}

async function deleteRecords(transaction: Queries, ids: string[]): Promise<void> {
  await transaction.query("delete from screenshots where id = any($1::uuid[])", [ids]);
}
