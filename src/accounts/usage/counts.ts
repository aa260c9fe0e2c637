/** Counts each key's daily usage and records its last use, both in memory, and writes them in batches. */

import type { BaseLogger } from "pino";
import type { Database } from "../../database/database.ts";
import type { Clock } from "../../shared/clock.ts";
import { forService } from "../../shared/work-owner.ts";
import type { Caller } from "../keys/caller.ts";

/** captured: a new screenshot; cached: an existing one; failed: the capture failed; rejected: refused before the capture. */
export type RequestOutcome = "captured" | "cached" | "failed" | "rejected";

export interface UsageCounts {
  /** Writes only to memory. Without an `outcome`, the request isn't counted, but its bytes and the last use are. */
  record(caller: Pick<Caller, "userId" | "id">, outcome: RequestOutcome | undefined, bytes: number): void;
  /** Writes the counts and last uses so far; keeps them for the next flush if the database fails. */
  flush(): Promise<void>;
  /** Writes the remaining counts and last uses; does not close the pool. */
  close(): Promise<void>;
}

/** Stands in for the key id of captures from the dashboard, which have no key. */
export const playgroundKeyId = "00000000-0000-0000-0000-000000000000";

type Counts = Record<RequestOutcome | "bytes", number>;

interface Row extends Counts {
  userId: string;
  keyId: string;
  day: string;
}

const flushEveryMs = 5_000;
/** Rare, because every write of a last use leaves a dead row behind, and a minute is precise enough. */
const flushUsesEveryMs = 60_000;
const dayMs = 86_400_000;
/** Maximum rows in memory: during a long database outage, the oldest counts are dropped. */
const rowsMax = 100_000;

/**
 * If the process is killed while the database is reachable, at most five seconds of counts and a minute of last uses are lost. The quota is
 * counted separately, in quota.ts, and isn't affected.
 */
export function createUsageCounts(database: Database, clock: Clock, log: BaseLogger): UsageCounts {
  const counts = createDailyCounts(clock);
  let lastUses = new Map<string, number>();
  let flushing = Promise.resolve();
  /** The flush that callers share until it begins. */
  let requested: Promise<void> | undefined;

  async function flushCounts(): Promise<void> {
    const batch = counts.take();
    if (batch.length === 0) return;
    try {
      await addCounts(database, batch);
    } catch (error) {
      counts.putBack(batch);
      log.warn({ err: error }, "failed to write key usage; retrying");
    }
  }

  async function flushUses(): Promise<void> {
    if (lastUses.size === 0) return;
    const batch = lastUses;
    lastUses = new Map();
    try {
      await writeLastUses(database, batch);
    } catch (error) {
      lastUses = new Map([...batch, ...lastUses]);
      log.warn({ err: error }, "failed to write when keys were last used; retrying");
    }
  }

  /**
   * Flushes run sequentially, so that a failed batch is put back before the next one is taken. They work for the service: everybody's counts
   * would otherwise wait behind the statements of the account that asked for its own.
   */
  function serially(flush: () => Promise<void>): Promise<void> {
    flushing = flushing.then(() => forService(flush));
    return flushing;
  }
  const flushAll = async () => {
    requested = undefined;
    await flushCounts();
    await flushUses();
  };
  const timers = [
    setInterval(() => serially(flushCounts), flushEveryMs).unref(),
    setInterval(() => serially(flushUses), flushUsesEveryMs).unref(),
  ];

  return {
    record(caller, outcome, bytes) {
      if (caller.id !== null) lastUses.set(caller.id, clock.now());
      if (outcome || bytes > 0) counts.add(caller, outcome, bytes);
    },
    flush: async () => {
      requested ??= serially(flushAll);
      await requested;
    },
    async close() {
      for (const timer of timers) clearInterval(timer);
      await serially(flushAll);
    },
  };
}

function createDailyCounts(clock: Clock) {
  let rows = new Map<string, Row>();
  let latest: Row | undefined; // consecutive requests often use the same key
  let today = { number: Number.NaN, text: "" };

  /** Formats the date only once a day, because formatting would otherwise take most of the time spent counting. */
  function dayOf(nowMs: number): string {
    const number = Math.floor(nowMs / dayMs);
    if (number !== today.number) today = { number, text: new Date(nowMs).toISOString().slice(0, 10) };
    return today.text;
  }

  function rowOf(userId: string, keyId: string, day: string): Row {
    if (latest?.keyId === keyId && latest.userId === userId && latest.day === day) return latest;
    const id = `${day}${keyId}${userId}`;
    const found = rows.get(id);
    if (found) {
      latest = found;
      return found;
    }
    const row = { userId, keyId, day, captured: 0, cached: 0, failed: 0, rejected: 0, bytes: 0 };
    rows.set(id, row);
    const oldest = rows.size > rowsMax ? rows.keys().next().value : undefined;
    if (oldest !== undefined) rows.delete(oldest);
    latest = row;
    return row;
  }

  return {
    add({ userId, id }: Pick<Caller, "userId" | "id">, outcome: RequestOutcome | undefined, bytes: number): void {
      const row = rowOf(userId, id ?? playgroundKeyId, dayOf(clock.now()));
      if (outcome) row[outcome] += 1;
      row.bytes += bytes;
    },
    take(): Row[] {
      const taken = [...rows.values()];
      rows = new Map();
      latest = undefined;
      return taken;
    },
    putBack(taken: Row[]): void {
      for (const { userId, keyId, day, ...counts } of taken) {
        const row = rowOf(userId, keyId, day);
        for (const [name, count] of Object.entries(counts) as [keyof Counts, number][]) row[name] += count;
      }
    },
  };
}

/** Writes rows in a fixed order, so that replicas don't deadlock. Drops counts of users whose rows have been deleted. */
async function addCounts(database: Database, rows: Row[]): Promise<void> {
  await database.query({
    timeoutMs: Number.POSITIVE_INFINITY, // after a timeout the statement may still succeed, and a retry would write the counts twice
    text: `insert into usage_days as d (user_id, key_id, day, captured, cached, failed, rejected, bytes)
     select c.* from unnest($1::uuid[], $2::uuid[], $3::date[], $4::integer[], $5::integer[], $6::integer[], $7::integer[], $8::bigint[])
              as c (user_id, key_id, day, captured, cached, failed, rejected, bytes)
       join users u on u.id = c.user_id
      order by c.user_id, c.day, c.key_id
     on conflict (user_id, day, key_id) do update
        set captured = d.captured + excluded.captured, cached = d.cached + excluded.cached, failed = d.failed + excluded.failed,
            rejected = d.rejected + excluded.rejected, bytes = d.bytes + excluded.bytes`,
    values: [
      rows.map((row) => row.userId),
      rows.map((row) => row.keyId),
      rows.map((row) => row.day),
      ...(["captured", "cached", "failed", "rejected", "bytes"] as const).map((name) => rows.map((row) => row[name])),
    ],
  });
}

/** Locks rows in id order, so that replicas with the same keys don't deadlock. */
async function writeLastUses(database: Database, uses: Map<string, number>): Promise<void> {
  await database.query(
    `with used as (
       select u.id, u.at from unnest($1::uuid[], $2::timestamptz[]) as u (id, at)
     ), held as (
       select k.id from api_keys k join used on used.id = k.id order by k.id for no key update of k
     )
     update api_keys k set last_used_at = used.at
       from used join held on held.id = used.id
      where k.id = used.id and (k.last_used_at is null or k.last_used_at < used.at)`,
    [[...uses.keys()], [...uses.values()].map((ms) => new Date(ms))],
  );
}
