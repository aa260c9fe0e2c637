/** Records of batches: captures that are queued by one request and finish one by one. */

import { firstOutputs, type HistoryEntry } from "../../accounts/history/history.ts";
import type { Owner } from "../../accounts/keys/caller.ts";
import type { Database, Queries } from "../../database/database.ts";
import type { RecordedFailure } from "../captures/finished-capture.ts";
import type { LeftOut } from "../crawl/left-out.ts";
import { type CaptureRecord, type CaptureStatus, captureColumns, type Idempotency } from "./records.ts";

export interface NewBatch {
  /** UUIDv7. */
  id: string;
  userId: string;
  /** Number of captures, at least one. */
  total: number;
  webhookUrl: string | undefined;
  idempotency: Idempotency | undefined;
  expiresAt: Date;
}

export interface BatchRecord {
  id: string;
  total: number;
  counts: Record<CaptureStatus, number>;
  /** Number of captures, not counting canceled ones, that ended within the last `latelySeconds`. */
  endedLately: number;
  /** 60, or the time since the first capture started if that is shorter; 0 if none has started. */
  latelySeconds: number;
  /** Names of the first three captures. */
  names: string[];
  /** Null unless the batch follows links. */
  crawl: CrawlProgress | null;
  createdAt: Date;
  endedAt: Date | null;
}

export interface CrawlProgress {
  url: string;
  depth: number;
  limit: number;
  include: string[];
  exclude: string[];
  /** Greatest depth of any page in the crawl. */
  deepest: number;
  leftOut: LeftOut;
}

/** A batch whose last capture has ended. */
export interface EndedBatch extends Pick<BatchRecord, "id" | "total" | "counts"> {
  userId: string;
  webhookUrl: string | null;
}

export async function addBatch(queries: Queries, { id, userId, total, webhookUrl, idempotency, expiresAt }: NewBatch): Promise<void> {
  await queries.query(
    `insert into batches (id, user_id, total, webhook_url, idempotency_key, request_hash, expires_at) values ($1, $2, $3, $4, $5, $6, $7)`,
    [id, userId, total, webhookUrl ?? null, idempotency?.key ?? null, idempotency?.hash ?? null, expiresAt],
  );
}

/** SQL condition that holds if `key` is null or created the batch `b`. All captures in a batch have the same key. */
const keyMatches = (key: string) =>
  `(${key}::uuid is null or exists (select 1 from captures c where c.batch_id = b.id and c.key_id = ${key}))`;

/** See {@link findEarlier}. */
export const batchesOfKey = { from: "batches b", columns: "b.id", isOwn: keyMatches("$3") } as const;

/** Locks a batch until the transaction ends, so that its captures finish one at a time and each sees what the previous one recorded. */
export async function lockBatch(queries: Queries, id: string): Promise<void> {
  await queries.query("select 1 from batches where id = $1 for update", [id]);
}

/** Ends the batch if its last capture has ended and the batch has not. @param queries a transaction that has locked the batch. */
export async function endBatch(queries: Queries, id: string): Promise<EndedBatch | undefined> {
  const { rows } = await queries.query<Omit<EndedBatch, "counts"> & { counts: Partial<EndedBatch["counts"]> }>(
    `update batches b set ended_at = clock_timestamp()
      where id = $1 and ended_at is null
        and not exists (select 1 from captures c where c.batch_id = b.id and c.status in ('queued', 'running'))
     returning id, user_id as "userId", webhook_url as "webhookUrl", total, ${countsOf}`,
    [id],
  );
  return rows[0] && withAllCounts(rows[0]);
}

const countsOf = `(select jsonb_object_agg(status, count) from (
    select status, count(*) as count from captures c where c.batch_id = b.id group by status) s) as counts`;
const noCounts: BatchRecord["counts"] = { queued: 0, running: 0, done: 0, failed: 0, canceled: 0 };

/** Columns for a batch `b`. */
const batchColumns = `b.id, b.total, b.created_at as "createdAt", b.ended_at as "endedAt", ${countsOf}, lately.*,
  (select jsonb_build_object('url', k.url, 'depth', k.depth, 'limit', k.pages, 'include', k.include, 'exclude', k.exclude,
                             'deepest', k.deepest, 'leftOut', k.left_out) from crawls k where k.batch_id = b.id) as crawl,
  array(select c.name from captures c where c.batch_id = b.id and c.position < 3 order by c.position) as names`;
const lately = `cross join lateral (
    select count(*) filter (where c.ended_at > now() - interval '1 minute' and c.status <> 'canceled')::integer as "endedLately",
           coalesce(least(60, extract(epoch from now() - min(c.started_at))), 0)::float as "latelySeconds"
      from captures c where c.batch_id = b.id) lately`;

export interface BatchRecords {
  /** Undefined unless the batch belongs to the owner. */
  find(owner: Owner, id: string): Promise<BatchRecord | undefined>;
  /** Newest first, older than the batch `before`. */
  list(userId: string, which: { isRunning?: boolean | undefined; before?: string | undefined; limit: number }): Promise<BatchRecord[]>;
  /**
   * A batch's finished captures, in the order in which they finished, following the capture `after`: at most 50, and fewer if their results
   * are long. Empty if no more have finished.
   */
  ended(id: string, after: string | undefined): Promise<CaptureRecord[]>;
  /** Whether the capture belongs to the batch and has ended. */
  hasEnded(id: string, captureId: string): Promise<boolean>;
}

export function createBatchRecords(database: Database): BatchRecords {
  return {
    async find({ userId, keyId = null }, id) {
      const { rows } = await database.query<BatchRecord>(
        `select ${batchColumns} from batches b ${lately} where b.user_id = $1 and b.id = $2 and ${keyMatches("$3")}`,
        [userId, id, keyId],
      );
      return rows[0] && withAllCounts(rows[0]);
    },
    async list(userId, { isRunning, before, limit }) {
      const { rows } = await database.query<BatchRecord>(
        `select ${batchColumns}
           from (select * from batches
                  where user_id = $1 and ($2::uuid is null or id < $2) and ($3::boolean is null or (ended_at is null) = $3)
                  order by id desc limit $4) b ${lately}
          order by b.id desc`,
        [userId, before ?? null, isRunning ?? null, limit],
      );
      return rows.map(withAllCounts);
    },
    async ended(id, after) {
      const { rows } = await database.query<CaptureRecord>(
        `with following as (
           select c.id, row_number() over w as n, sum(${lengthMaxOf}) over w as length
             from (select id, ended_at, result from captures
                    where batch_id = $1 and ended_at is not null
                      and ($2::uuid is null or (ended_at, id) > (select a.ended_at, a.id from captures a where a.id = $2))
                    order by ended_at, id limit ${pageMax.captures}) c
           window w as (order by c.ended_at, c.id))
         select ${captureColumns} from captures
          where id in (select f.id from following f where f.n = 1 or f.length <= ${pageMax.bytes})
          order by ended_at, id`,
        [id, after ?? null],
      );
      return rows;
    },
    async hasEnded(id, captureId) {
      const { rowCount } = await database.query("select 1 from captures where batch_id = $1 and id = $2 and ended_at is not null", [
        id,
        captureId,
      ]);
      return rowCount === 1;
    },
  };
}

const pageMax = { captures: 50, bytes: 4 * 1024 * 1024 };
/** Upper bound on a result's length in bytes, without decompressing it: PostgreSQL's compression shortens by less than this factor. */
const lengthMaxOf = "coalesce(pg_column_size(c.result), 0)::bigint * case when pg_column_compression(c.result) is null then 1 else 100 end";

/** Adds zeros for missing statuses. Missing captures are counted as canceled: canceled captures' records are deleted before the batch's. */
function withAllCounts<T extends { total: number; counts: Partial<BatchRecord["counts"]> | null }>(
  record: T,
): T & Pick<BatchRecord, "counts"> {
  const counts = { ...noCounts, ...record.counts };
  const { queued, running, done, failed } = counts;
  return { ...record, counts: { ...counts, canceled: record.total - queued - running - done - failed } };
}

export interface BatchCapture extends Pick<CaptureRecord, "id" | "status" | "endedAt" | "depth"> {
  /** Position in the batch, from 0. */
  position: number;
  /** Unique in the batch. */
  name: string;
  /** Null unless the capture has failed. */
  failure: Pick<RecordedFailure, "code" | "message"> | null;
  /** The first output with a file, otherwise the first output; null if there is none. */
  screenshot: HistoryEntry | null;
}

/** At most `limit` captures, following the capture `after`. @param id a batch of this account. */
export async function listBatchCaptures(
  database: Database,
  userId: string,
  { id, status, after, limit }: { id: string; status: CaptureStatus | undefined; after: string | undefined; limit: number },
): Promise<BatchCapture[]> {
  const { rows } = await database.query<Omit<BatchCapture, "screenshot">>(
    `select id, status, ended_at as "endedAt", position, name, depth,
            case when status = 'failed'
                 then jsonb_build_object('code', result->'failure'->'code', 'message', result->'failure'->'message') end as failure
       from captures
      where batch_id = $1 and user_id = $2 and ($3::text is null or status = $3)
        and ($4::uuid is null or position > (select a.position from captures a where a.id = $4 and a.batch_id = $1))
      order by position limit $5`,
    [id, userId, status ?? null, after ?? null, limit],
  );
  const made = await firstOutputs(
    database,
    userId,
    rows.map((row) => row.id),
  );
  return rows.map((row) => ({ ...row, screenshot: made.get(row.id) ?? null }));
}
