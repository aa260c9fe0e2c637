/** Writes when each key was last used, for many keys at once. */

import type pg from "pg";
import type { BaseLogger } from "pino";
import type { Clock } from "../../clock.ts";

const flushEveryMs = 60_000;

/** Collects uses in memory and writes them once a minute and at `close`; what the database doesn't take then is tried a minute later. */
export function createKeyUses(pool: pg.Pool, clock: Clock, log: BaseLogger) {
  const lastUsedAt = new Map<string, Date>();
  let flushing = Promise.resolve();

  async function flush(): Promise<void> {
    if (lastUsedAt.size === 0) return;
    const batch = [...lastUsedAt];
    lastUsedAt.clear();
    try {
      await writeLastUsed(pool, batch);
    } catch (error) {
      for (const [id, at] of batch) if (!lastUsedAt.has(id)) lastUsedAt.set(id, at);
      log.warn({ err: error }, "the last uses of keys could not be written");
    }
  }

  function flushInTurn(): Promise<void> {
    flushing = flushing.then(flush);
    return flushing;
  }
  const timer = setInterval(flushInTurn, flushEveryMs).unref();

  return {
    record(keyId: string): void {
      lastUsedAt.set(keyId, new Date(clock.now()));
    },
    async close(): Promise<void> {
      clearInterval(timer);
      await flushInTurn();
    },
  };
}

/** Rows are locked in the order of their ids, so that replicas that write the same keys don't deadlock. */
async function writeLastUsed(pool: pg.Pool, uses: [id: string, at: Date][]): Promise<void> {
  await pool.query(
    `with used as (
       select u.id, u.at from unnest($1::uuid[], $2::timestamptz[]) as u (id, at)
     ), held as (
       select k.id from api_keys k join used on used.id = k.id order by k.id for no key update of k
     )
     update api_keys k set last_used_at = used.at
       from used join held on held.id = used.id
      where k.id = used.id and (k.last_used_at is null or k.last_used_at < used.at)`,
    [uses.map(([id]) => id), uses.map(([, at]) => at)],
  );
}
