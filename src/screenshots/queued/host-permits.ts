/** Starts queued captures, with a limit on concurrent captures per host and a pause between their starts, across all processes. */

import type { Database, Queries } from "../../database/database.ts";
import type { JobQueue } from "../../jobs/queue.ts";

/** Must be the same in all processes. */
export interface HostLimits {
  /** Concurrent captures per host. */
  concurrentMax: number;
  /** Minimum time between the starts of consecutive captures of the same host. */
  pauseMs: number;
}

export interface StartedCapture {
  userId: string;
  keyId: string | null;
  request: Buffer;
  /** Milliseconds since the capture was queued, by the database's clock. */
  ageMs: number;
  batchId: string | null;
  /** In a crawl, the number of links followed from the first page; otherwise null. */
  depth: number | null;
}

/** A held capture that now has a permit. */
export interface GrantedCapture {
  id: string;
  userId: string;
  /** Position in the queue; null if the capture was already started once. */
  position: number | null;
}

export interface HostPermits {
  /**
   * Marks a capture as running, even if a process that died had already started it. Undefined if it has ended, was canceled, or is held: a
   * held capture needs another job once it is granted a permit.
   */
  begin(id: string): Promise<StartedCapture | undefined>;
  /** Whether any capture is held. */
  areHeld(): Promise<boolean>;
  /** Grants free permits. @param queries the transaction that also adds the captures' jobs. */
  grant(queries: Queries): Promise<GrantedCapture[]>;
}

/** Maximum number of captures to count, not including held captures. */
const countedMax = 10_000;

/**
 * Number of queued captures that could start now if a worker had capacity: captures that need no permit or already have one and, for each
 * host, as many more as it has free permits. Additional workers would not start the remaining captures sooner.
 */
export async function countStartable(queries: Queries, concurrentMax: number): Promise<number> {
  const { rows } = await queries.query<{ found: number }>(
    `with waiting as (
       (select host, coalesce(place_until > clock_timestamp(), false) as has_place
          from captures where status = 'queued' and not is_held order by turn limit $2)
       union all
       select host, false from captures where status = 'queued' and is_held),
     at_hosts as (
       select host, count(*) as total, count(*) filter (where has_place) as with_place from waiting group by host),
     taken as (
       select host, count(*) as places from captures
        where place_until > clock_timestamp() and status in ('queued', 'running') and host is not null group by host)
     select coalesce(sum(case when w.host is null then w.total
                              else w.with_place + least(w.total - w.with_place, greatest($1 - coalesce(t.places, 0), 0)) end), 0)::integer as found
       from at_hosts w left join taken t on t.host = w.host`,
    [concurrentMax, countedMax],
  );
  return rows[0]?.found ?? 0;
}

export function createHostPermits(database: Database, { concurrentMax, pauseMs }: HostLimits): HostPermits {
  const limits = [concurrentMax, pauseMs];
  return {
    async begin(id) {
      const { rows } = await database.query<StartedCapture & { isHeld: boolean }>({
        name: "begin_capture",
        text: `select user_id as "userId", key_id as "keyId", request, batch_id as "batchId", depth, is_held as "isHeld",
                      extract(epoch from clock_timestamp() - created_at)::float8 * 1000 as "ageMs"
                 from begin_capture($1, $2, $3 * interval '1 millisecond')`,
        values: [id, ...limits],
      });
      return rows[0]?.isHeld ? undefined : rows[0];
    },
    async areHeld() {
      const { rowCount } = await database.query("select from captures where is_held and status in ('queued', 'running') limit 1");
      return rowCount === 1;
    },
    async grant(queries) {
      const { rows } = await queries.query<GrantedCapture>(
        `select id, user_id as "userId", turn as position from grant_places($1, $2 * interval '1 millisecond')`,
        limits,
      );
      return rows;
    },
  };
}

interface GrantParts {
  database: Database;
  permits: HostPermits;
  queue: JobQueue;
}

/**
 * Returns a function that queues jobs for held captures whose hosts have free permits. Call it repeatedly, in any number of processes. A
 * capture's job is queued in the transaction that grants its permit.
 */
export function createGrantPermits({ database, permits, queue }: GrantParts): () => Promise<void> {
  return async () => {
    if (!(await permits.areHeld())) return;
    await database.transaction(async (transaction) => {
      const granted = await permits.grant(transaction);
      const jobs = granted.map(({ id, userId, position }) => ({ id, userId, isRepeated: true, priority: -(position ?? 0) }));
      if (jobs.length > 0) await queue.send(transaction, ...jobs);
    });
  };
}
