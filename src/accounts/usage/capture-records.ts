/** Records of captures that are not answered at once: queued -> running -> done | failed, or queued -> canceled. */

import type { Database, Queries } from "../../database.ts";
import { jsonbText } from "../../database.ts";
import type { Owner } from "../keys/caller.ts";

export const captureStatuses = ["queued", "running", "done", "failed", "canceled"] as const;
export type CaptureStatus = (typeof captureStatuses)[number];

export interface CaptureRecord {
  id: string;
  status: CaptureStatus;
  /** Once it has ended: what was given to `end`. */
  result: object | null;
  /** Ids of its files that are stored by now: after an outage of the storage, some are stored later than it has ended. */
  storedIds: string[];
  createdAt: Date;
  startedAt: Date | null;
  endedAt: Date | null;
  /** null: it is of no batch. */
  batchId: string | null;
  /** In the batch's request, from 0. */
  position: number | null;
  /** Unique in the batch. */
  name: string | null;
}

/** Captures that one request queues. */
export interface NewCaptures {
  userId: string;
  keyId: string | null;
  /** Whether a caller waits for them: then they take no turns. */
  isAwaited: boolean;
  expiresAt: Date;
  /** Of a single capture. */
  idempotency?: Idempotency | undefined;
  /** Milliseconds in which their answer is to be confirmed, or they cost nothing; see answers.ts. Undefined: they cost something anyway. */
  answerWithinMs?: number | undefined;
  batchId?: string;
  /** At least one, in their order. */
  captures: NewCapture[];
}

export interface NewCapture {
  /** UUIDv7. */
  id: string;
  /** Encrypted. */
  request: Buffer;
  /** In the batch. */
  name?: string;
  /** At which it takes a place; undefined: it takes none. */
  host?: string | undefined;
}

export interface Idempotency {
  key: string;
  /** SHA-256 of the request. */
  hash: Buffer;
}

/** A capture that has not ended in time: its job is gone. */
export interface LostCapture {
  id: string;
  userId: string;
  /** Encrypted. */
  request: Buffer;
  batchId: string | null;
}

/** Jobs of an account follow each other at this distance, divided by the weight of its plan: 1, and one more for each ten ranks. */
const stride = 60;
const weightMax = 10;

/**
 * Queues captures behind the account's own ones, but before those that other accounts queued in advance: each account gets turns in
 * proportion to its plan's weight, from the turn that is up now. Compared as a pair, the account's last one isn't looked for among those of all.
 * @param queries a transaction that has locked the account's quota counter.
 * @returns the turn of each by its id; the lowest goes first.
 */
export async function addCaptures(queries: Queries, added: NewCaptures): Promise<Map<string, number>> {
  const { userId, keyId, isAwaited, expiresAt, idempotency, answerWithinMs = null, batchId = null, captures } = added;
  const { rows } = await queries.query<{ id: string; turn: number | null }>({
    name: "add_captures",
    text: `insert into captures (id, user_id, key_id, status, request, idempotency_key, request_hash, expires_at, batch_id, position, name, host, answer_by, turn)
           select o.id, $1, $2, 'queued', o.request, $3, $4, $5, $6, case when $6::uuid is not null then o.n - 1 end, o.name, o.host,
                  now() + $12 * interval '1 millisecond', case when not $7 then t.first + (o.n - 1) * t.stride end
             from (select w.stride,
                          greatest((select case when c.user_id = $1 then c.turn end from captures c
                                     where c.status = 'queued' and (c.user_id, c.turn) <= ($1, ${2 ** 31 - 1})
                                     order by c.user_id desc, c.turn desc limit 1) + w.stride,
                                   (select min(turn) from captures where status = 'queued' and not is_held),
                                   0) as first
                     from (select ${stride} / least(greatest(1 + p.rank / 10, 1), ${weightMax}) as stride
                             from account_plans a join plans p on p.id = a.plan_id where a.user_id = $1) w) t,
                  unnest($8::uuid[], $9::bytea[], $10::text[], $11::text[]) with ordinality as o (id, request, name, host, n)
           returning id, turn`,
    values: [
      userId,
      keyId,
      idempotency?.key ?? null,
      idempotency?.hash ?? null,
      expiresAt,
      batchId,
      isAwaited,
      captures.map(({ id }) => id),
      captures.map(({ request }) => request),
      captures.map(({ name }) => name ?? null),
      captures.map(({ host }) => host ?? null),
      answerWithinMs,
    ],
  });
  return new Map(rows.map(({ id, turn }) => [id, turn ?? 0]));
}

/** What was made by an earlier request. */
export interface Earlier {
  /** Of the request. */
  hash: Buffer;
  /** Whether the owner may read what it made. */
  isOwn: boolean;
}

/** The capture of an earlier request with this key, of the last 24 hours. Requests with the same key wait for the transaction's end. */
export async function findEarlier(
  queries: Queries,
  { userId, keyId }: Owner,
  { key }: Idempotency,
): Promise<(CaptureRecord & Earlier) | undefined> {
  await lockIdempotencyKey(queries, "captures", userId, key);
  const { rows } = await queries.query<CaptureRecord & Earlier>(
    `select ${captureColumns}, request_hash as hash, $3::uuid is null or key_id is not distinct from $3 as "isOwn"
       from captures where user_id = $1 and idempotency_key = $2`,
    [userId, key, keyId ?? null],
  );
  return rows[0];
}

/** Until the transaction's end; forgets the key if it is older than a day. */
export async function lockIdempotencyKey(
  queries: Queries,
  table: "captures" | "batches" | "watches",
  userId: string,
  key: string,
): Promise<void> {
  await queries.query("select pg_advisory_xact_lock(hashtextextended($1, 0))", [`idempotency ${userId} ${key}`]);
  await queries.query(
    `update ${table} set idempotency_key = null where user_id = $1 and idempotency_key = $2 and created_at < now() - interval '1 day'`,
    [userId, key],
  );
}

export const captureColumns = `id, status, result,
  array(select s.id from screenshots s where s.capture_id = captures.id and s.object_key is not null) as "storedIds",
  created_at as "createdAt", started_at as "startedAt", ended_at as "endedAt",
  batch_id as "batchId", position, name`;

export interface CaptureRecords {
  /** Undefined unless it is the owner's. */
  find(owner: Owner, id: string): Promise<CaptureRecord | undefined>;
  /** Ids of those that have ended, or are gone. */
  ended(ids: string[]): Promise<string[]>;
  /** Captures past their deadline that have not ended, at most `limit`, except `except`. Their reservations are refunded when their leases expire. */
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
            and id <> all($2::uuid[])
          limit $1`,
        [limit, except],
      );
      return rows;
    },
  };
}

/** Ends a capture, once. False if it has ended already. */
export async function endCapture(queries: Queries, id: string, status: "done" | "failed", result: object): Promise<boolean> {
  const { rowCount } = await queries.query(
    `update captures set status = $2, turn = null, request = null, result = $3::jsonb, ended_at = clock_timestamp(),
                         answer_by = case when $2 = 'done' then answer_by end
      where id = $1 and status in ('queued', 'running')`,
    [id, status, jsonbText(result)],
  );
  return rowCount === 1;
}

/** Cancels queued captures. @returns the ids of those that were queued, and the account's own. */
/** @returns their ids. Their records are kept for an hour, since they cost nothing; those with an idempotency key as long as that needs. */
export async function cancelCaptures(queries: Queries, userId: string, which: { id: string } | { batchId: string }): Promise<string[]> {
  const [column, id] = "id" in which ? ["id", which.id] : ["batch_id", which.batchId];
  const { rows } = await queries.query<{ id: string }>(
    `update captures set status = 'canceled', turn = null, request = null, ended_at = clock_timestamp(), answer_by = null,
            expires_at = case when idempotency_key is null then least(expires_at, now() + interval '1 hour') else expires_at end
      where ${column} = $1 and user_id = $2 and status = 'queued' returning id`,
    [id, userId],
  );
  return rows.map((row) => row.id);
}
