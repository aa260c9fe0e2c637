/** Counts what each key was used for, by day: in memory, and written for many requests at once. */

import type pg from "pg";
import type { BaseLogger } from "pino";
import type { Clock } from "../../clock.ts";

/** captured: a new picture; cached: one without a new capture; failed: the capture failed; rejected: refused before it. */
export type Outcome = "captured" | "cached" | "failed" | "rejected";

export interface Usage {
  /** Costs a look-up in memory. `keyId` null: the playground. */
  record(asker: { userId: string; id: string | null }, outcome: Outcome, bytes: number): void;
  /** Writes what was counted so far; what the database doesn't take is kept for the next time. */
  flush(): Promise<void>;
  /** Writes the last counts; the pool stays open. */
  close(): Promise<void>;
}

/** Stands for the playground where the table needs a key's id. */
export const playgroundKeyId = "00000000-0000-0000-0000-000000000000";

type Counts = Record<Outcome | "bytes", number>;

interface Row extends Counts {
  userId: string;
  keyId: string;
  day: string;
}

const flushEveryMs = 5_000;
const dayMs = 86_400_000;
/** While the database is away for long, the oldest counts are given up beyond this: memory is not theirs to fill. */
const rowsMax = 100_000;

/** A process that is killed loses the counts of at most five seconds; the quota is counted elsewhere and loses nothing. */
export function createUsage(pool: pg.Pool, clock: Clock, log: BaseLogger): Usage {
  let counted = new Map<string, Row>();
  let flushing = Promise.resolve();
  let today = { number: Number.NaN, text: "" };

  /** Of all the work of a record, writing the date would be the most: done once a day. */
  function dayOf(nowMs: number): string {
    const number = Math.floor(nowMs / dayMs);
    if (number !== today.number) today = { number, text: new Date(nowMs).toISOString().slice(0, 10) };
    return today.text;
  }

  function rowOf(userId: string, keyId: string, day: string): Row {
    const id = `${day}${keyId}${userId}`;
    const found = counted.get(id);
    if (found) return found;
    const row = { userId, keyId, day, captured: 0, cached: 0, failed: 0, rejected: 0, bytes: 0 };
    counted.set(id, row);
    const oldest = counted.size > rowsMax ? counted.keys().next().value : undefined;
    if (oldest !== undefined) counted.delete(oldest);
    return row;
  }

  async function flush(): Promise<void> {
    if (counted.size === 0) return;
    const batch = [...counted.values()];
    counted = new Map();
    try {
      await addCounts(pool, batch);
    } catch (error) {
      for (const { userId, keyId, day, ...counts } of batch) {
        const row = rowOf(userId, keyId, day);
        for (const [name, count] of Object.entries(counts) as [keyof Counts, number][]) row[name] += count;
      }
      log.warn({ err: error }, "the usage of keys could not be written yet");
    }
  }

  function flushInTurn(): Promise<void> {
    flushing = flushing.then(flush);
    return flushing;
  }
  const timer = setInterval(flushInTurn, flushEveryMs).unref();

  return {
    record({ userId, id }, outcome, bytes) {
      const row = rowOf(userId, id ?? playgroundKeyId, dayOf(clock.now()));
      row[outcome] += 1;
      row.bytes += bytes;
    },
    flush: flushInTurn,
    async close() {
      clearInterval(timer);
      await flushInTurn();
    },
  };
}

/** Rows are written in one order, so that replicas don't deadlock. Of a user who is gone nothing is counted any more. */
async function addCounts(pool: pg.Pool, rows: Row[]): Promise<void> {
  await pool.query(
    `insert into usage_days as d (user_id, key_id, day, captured, cached, failed, rejected, bytes)
     select c.* from unnest($1::uuid[], $2::uuid[], $3::date[], $4::integer[], $5::integer[], $6::integer[], $7::integer[], $8::bigint[])
              as c (user_id, key_id, day, captured, cached, failed, rejected, bytes)
       join users u on u.id = c.user_id
      order by c.user_id, c.day, c.key_id
     on conflict (user_id, day, key_id) do update
        set captured = d.captured + excluded.captured, cached = d.cached + excluded.cached, failed = d.failed + excluded.failed,
            rejected = d.rejected + excluded.rejected, bytes = d.bytes + excluded.bytes`,
    [
      rows.map((row) => row.userId),
      rows.map((row) => row.keyId),
      rows.map((row) => row.day),
      ...(["captured", "cached", "failed", "rejected", "bytes"] as const).map((name) => rows.map((row) => row[name])),
    ],
  );
}
