/** Records of queued captures: queued -> running -> done | failed, or queued -> canceled | failed. */

import type { Owner } from "../../accounts/keys/caller.ts";
import type { Database, Queries } from "../../database/database.ts";
import { AppError } from "../../shared/errors.ts";

export const captureStatuses = ["queued", "running", "done", "failed", "canceled"] as const;
export type CaptureStatus = (typeof captureStatuses)[number];

export interface CaptureRecord {
  id: string;
  status: CaptureStatus;
  /** As passed to `endCapture`; null if the capture has not ended, or was canceled. */
  result: object | null;
  /** Ids of the files stored so far. After a storage outage, some may be stored after the capture has ended. */
  storedIds: string[];
  createdAt: Date;
  startedAt: Date | null;
  endedAt: Date | null;
  /** Null if the capture isn't part of a batch. */
  batchId: string | null;
  /** Position in the batch, from 0. */
  position: number | null;
  /** Unique in the batch. */
  name: string | null;
  /** In a crawl, the number of links followed from the first page; otherwise null. */
  depth: number | null;
}

/** Captures that are queued together. */
export interface NewCaptures {
  userId: string;
  keyId: string | null;
  /** Whether a caller is waiting for them, in which case they have no position in the queue. */
  isAwaited: boolean;
  expiresAt: Date;
  /** Allowed only for a single capture. */
  idempotency?: Idempotency | undefined;
  /** Time allowed for confirming the response, in milliseconds; see awaited-charges.ts. If undefined, the charges need no confirmation. */
  answerWithinMs?: number | undefined;
  batch?: { id: string /** Position of the first capture. */; first: number };
  /** For a crawl's pages: their depth, and the site's `Crawl-delay`. */
  crawl?: { depth: number; crawlDelaySeconds: number } | undefined;
  /** At least one, in request order. */
  captures: NewCapture[];
}

export interface NewCapture {
  /** UUIDv7. */
  id: string;
  /** Encrypted. */
  request: Buffer;
  /** Unique in the batch. */
  name?: string;
  /** Host for which the capture needs a permit; undefined if it needs none. */
  host?: string | undefined;
}

export interface Idempotency {
  key: string;
  /** SHA-256 of the request. */
  hash: Buffer;
}

/** A capture that has been queued for 26 hours, or running for 3 hours, and is assumed to have no job left. */
export interface LostCapture {
  id: string;
  userId: string;
  /** Encrypted. */
  request: Buffer;
  batchId: string | null;
}

/** Distance between the positions of an account's captures, before division by the plan's weight (1, plus 1 for every ten ranks). */
const stride = 60;
const weightMax = 10;

/**
 * Queues captures by weighted fair queueing: behind the account's own captures, but interleaved with other accounts' captures in proportion
 * to the plans' weights, starting no earlier than the first position in use. The row comparison lets PostgreSQL find the account's last
 * capture with an index.
 * @param queries a transaction that has locked the account's quota counter.
 * @returns each capture's position, keyed by its id (the lowest position goes first), and the time at which all of them were created.
 */
export async function addCaptures(queries: Queries, added: NewCaptures): Promise<{ positions: Map<string, number>; createdAt: Date }> {
  const { userId, keyId, isAwaited, expiresAt, idempotency, answerWithinMs = null, batch, crawl, captures } = added;
  const { rows } = await queries.query<{ id: string; turn: number | null; createdAt: Date }>({
    name: "add_captures",
    text: `insert into captures (id, user_id, key_id, status, request, idempotency_key, request_hash, expires_at, batch_id, position, name, host, answer_by, depth, crawl_delay, turn)
           select o.id, $1, $2, 'queued', o.request, $3, $4, $5, $6, case when $6::uuid is not null then $13 + o.n - 1 end, o.name, o.host,
                  now() + $12 * interval '1 millisecond', $14::smallint, nullif($15::float8, 0) * interval '1 second',
                  case when not $7 then t.first + (o.n - 1) * t.stride end
             from (select w.stride,
                          greatest((select case when c.user_id = $1 then c.turn end from captures c
                                     where c.status = 'queued' and (c.user_id, c.turn) <= ($1, ${2 ** 31 - 1})
                                     order by c.user_id desc, c.turn desc limit 1) + w.stride,
                                   (select min(turn) from captures where status = 'queued' and not is_held),
                                   0) as first
                     from (select ${stride} / least(greatest(1 + p.rank / 10, 1), ${weightMax}) as stride
                             from account_plans a join plans p on p.id = a.plan_id where a.user_id = $1) w) t,
                  unnest($8::uuid[], $9::bytea[], $10::text[], $11::text[]) with ordinality as o (id, request, name, host, n)
           returning id, turn, created_at as "createdAt"`,
    values: [
      userId,
      keyId,
      idempotency?.key ?? null,
      idempotency?.hash ?? null,
      expiresAt,
      batch?.id ?? null,
      isAwaited,
      captures.map(({ id }) => id),
      captures.map(({ request }) => request),
      captures.map(({ name }) => name ?? null),
      captures.map(({ host }) => host ?? null),
      answerWithinMs,
      batch?.first ?? 0,
      crawl?.depth ?? null,
      crawl?.crawlDelaySeconds ?? 0,
    ],
  });
  const [{ createdAt }] = rows as [(typeof rows)[number]];
  return { positions: new Map(rows.map(({ id, turn }) => [id, turn ?? 0])), createdAt };
}

/** SQL fragments: a table, the columns to read, and when the key `$3` may read a row. A null key stands for the whole account. */
interface EarlierIn {
  from: "captures" | "batches b" | "watches w";
  columns: string;
  isOwn: string;
}

/**
 * Finds what an equal request with this idempotency key created in the last 24 hours. Older keys may be reused. Concurrent requests
 * with the key wait for the transaction to end.
 * @throws {AppError} `idempotency_key_reused` if the earlier request had different content, or the owner may not read what it created.
 */
export async function findEarlier<Found = { id: string }>(
  queries: Queries,
  { from, columns, isOwn }: EarlierIn,
  { userId, keyId }: Owner,
  { key, hash }: Idempotency,
): Promise<Found | undefined> {
  await queries.query("select pg_advisory_xact_lock(hashtextextended($1, 0))", [`idempotency ${userId} ${key}`]);
  await queries.query(
    `update ${from} set idempotency_key = null where user_id = $1 and idempotency_key = $2 and created_at < now() - interval '1 day'`,
    [userId, key],
  );
  const { rows } = await queries.query<Found & { hash: Buffer; isOwn: boolean }>(
    `select ${columns}, request_hash as hash, ${isOwn} as "isOwn" from ${from} where user_id = $1 and idempotency_key = $2`,
    [userId, key, keyId ?? null],
  );
  const [earlier] = rows;
  if (earlier && !(earlier.isOwn && earlier.hash.equals(hash))) throw new AppError("idempotency_key_reused");
  return earlier;
}

export const captureColumns = `id, status, result,
  array(select s.id from screenshots s where s.capture_id = captures.id and s.status = 'done' and s.object_key is not null) as "storedIds",
  created_at as "createdAt", started_at as "startedAt", ended_at as "endedAt",
  batch_id as "batchId", position, name, depth`;

/** See {@link EarlierIn}. */
const isOwn = "$3::uuid is null or key_id is not distinct from $3";
export const capturesOfKey = { from: "captures", columns: captureColumns, isOwn } as const;

export interface CaptureRecords {
  /** Undefined unless the capture belongs to the owner. */
  find(owner: Owner, id: string): Promise<CaptureRecord | undefined>;
  /** The ids of captures that have ended or no longer exist. */
  ended(ids: string[]): Promise<string[]>;
  /** At most `limit` lost captures, excluding those in `except`. The sweep refunds their reservations once they expire. */
  lost(limit: number, except?: string[]): Promise<LostCapture[]>;
}

export function createCaptureRecords(database: Database): CaptureRecords {
  return {
    async find({ userId, keyId = null }, id) {
      const { rows } = await database.query<CaptureRecord>(
        `select ${captureColumns} from captures where user_id = $1 and id = $2 and ($3::uuid is null or key_id = $3)`,
        [userId, id, keyId],
      );
      return rows[0];
    },
    async ended(ids) {
      const { rows } = await database.query<{ id: string }>(
        `select given.id from unnest($1::uuid[]) as given (id)
           left join captures c on c.id = given.id
          where c.status is null or c.status not in ('queued', 'running')`,
        [ids],
      );
      return rows.map(({ id }) => id);
    },
    async lost(limit, except = []) {
      const { rows } = await database.query<LostCapture>(
        `select id, user_id as "userId", request, batch_id as "batchId" from captures
          where (status = 'queued' and created_at < now() - interval '26 hours'
                 or status = 'running' and started_at < now() - interval '3 hours')
            and id <> all($2::uuid[]) limit $1`,
        [limit, except],
      );
      return rows;
    },
  };
}
