/** Records of watches. */

import type { Owner } from "../accounts/keys/caller.ts";
import { type Earlier, type Idempotency, lockIdempotencyKey } from "../accounts/usage/capture-records.ts";
import type { Database, Queries } from "../database.ts";
import { jsonbText } from "../database.ts";
import { AppError } from "../errors.ts";
import type { Schedule } from "./schedule.ts";

export interface WatchContent {
  name: string;
  url: string;
  /** As given, without the values of secret ones. */
  options: Record<string, unknown>;
  schedule: Schedule;
  compareBy: "pixels" | "text" | "both";
  /** Share of the pixels, 0 to 1. */
  threshold: number;
  ignoreSelectors: string[];
  webhookUrl: string | null;
}

export interface Watch extends WatchContent {
  /** UUIDv7. */
  id: string;
  userId: string;
  /** Whose rules its captures have; null: the dashboard. */
  keyId: string | null;
  /** Encrypted, see request.ts. */
  request: Buffer;
  /** Runs that it has learned from. */
  learned: number;
  /** Whether its latest run failed, which has been reported. */
  isFailing: boolean;
  acceptedRunId: string | null;
  /** The latest change that has been reported since the acceptance. */
  reportedRunId: string | null;
  /** Of the runs with an image. */
  latestRunId: string | null;
  /** Hashes of the regions that have been reported since the acceptance. */
  seen: string[];
  /** null: paused. */
  nextRunAt: Date | null;
  createdAt: Date;
}

export const watchStates = ["active", "paused"] as const;

interface Row extends Omit<Watch, "schedule"> {
  every: string | null;
  cron: string | null;
  timeZone: string;
}

const columns = `w.id, w.user_id as "userId", w.key_id as "keyId", w.name, w.url, w.options, w.request, w.every, w.cron,
  w.time_zone as "timeZone", w.compare_by as "compareBy", w.threshold, w.ignore_selectors as "ignoreSelectors",
  w.webhook_url as "webhookUrl", w.learned, w.is_failing as "isFailing", w.accepted_run_id as "acceptedRunId",
  w.reported_run_id as "reportedRunId", w.latest_run_id as "latestRunId", w.seen, w.next_run_at as "nextRunAt", w.created_at as "createdAt"`;

function watchOf({ every, cron, timeZone, ...row }: Row): Watch {
  return { ...row, schedule: { every, cron, timeZone } as Schedule };
}

const isOwned = (user: string, key: string) =>
  `(${user}::uuid is null or w.user_id = ${user}) and (${key}::uuid is null or w.key_id = ${key})`;

/** @throws {AppError} `not_found` unless it is the owner's. */
export async function readWatch(queries: Queries, { userId, keyId }: Owner, id: string): Promise<Watch> {
  const { rows } = await queries.query<Row>(`select ${columns} from watches w where w.id = $1 and ${isOwned("$2", "$3")}`, [
    id,
    userId,
    keyId ?? null,
  ]);
  if (!rows[0]) throw new AppError("not_found");
  return watchOf(rows[0]);
}

/** Of any account. @throws {AppError} `not_found`. */
export async function findWatch(queries: Queries, id: string): Promise<Watch> {
  const { rows } = await queries.query<Row>(`select ${columns} from watches w where w.id = $1`, [id]);
  if (!rows[0]) throw new AppError("not_found");
  return watchOf(rows[0]);
}

/** As `readWatch`, and no other transaction changes it meanwhile. @param owner undefined: of any account. @throws {AppError} `not_found`. */
export async function lockWatch(transaction: Queries, id: string, owner?: Owner): Promise<Watch> {
  const { rows } = await transaction.query<Row>(`select ${columns} from watches w where w.id = $1 and ${isOwned("$2", "$3")} for update`, [
    id,
    owner?.userId ?? null,
    owner?.keyId ?? null,
  ]);
  if (!rows[0]) throw new AppError("not_found");
  return watchOf(rows[0]);
}

/** A watch that is due, and that no other process runs at this moment. @param failed are left out. */
export async function lockDue(transaction: Queries, failed: string[]): Promise<Watch | undefined> {
  const { rows } = await transaction.query<Row>(
    `select ${columns} from watches w join users u on u.id = w.user_id
      where w.next_run_at <= now() and u.disabled_at is null and w.id <> all($1::uuid[])
      order by w.next_run_at limit 1 for update of w skip locked`,
    [failed],
  );
  return rows[0] && watchOf(rows[0]);
}

/** Newest first. @param before id of the one before the first. */
export async function listWatches(
  database: Database,
  { userId, keyId }: Owner,
  { limit, before, state }: { limit: number; before?: string | undefined; state?: (typeof watchStates)[number] | undefined },
): Promise<Watch[]> {
  const { rows } = await database.query<Row>(
    `select ${columns} from watches w
      where w.user_id = $1 and ($2::uuid is null or w.key_id = $2) and ($3::uuid is null or w.id < $3)
        and ($4::text is null or ($4 = 'paused') = (w.next_run_at is null))
      order by w.id desc limit $5`,
    [userId, keyId ?? null, before ?? null, state ?? null, limit],
  );
  return rows.map(watchOf);
}

/** @param queries a transaction, so that of several at once no one exceeds `max`. @throws {AppError} `watch_limit_reached`. */
export async function assertMoreWatches(queries: Queries, userId: string, max: number): Promise<void> {
  await queries.query("select pg_advisory_xact_lock(hashtextextended($1, 0))", [`watches ${userId}`]);
  const { rows } = await queries.query<{ count: number }>("select count(*)::integer as count from watches where user_id = $1", [userId]);
  if ((rows[0]?.count ?? 0) >= max)
    throw new AppError("watch_limit_reached", { message: `The account has ${max} watches already, which is the limit.` });
}

/** The watch of an earlier request with this key, of the last 24 hours. Requests with the same key wait for the transaction's end. */
export async function findEarlierWatch(
  queries: Queries,
  { userId, keyId }: Owner,
  { key }: Idempotency,
): Promise<({ id: string } & Earlier) | undefined> {
  await lockIdempotencyKey(queries, "watches", userId, key);
  const { rows } = await queries.query<{ id: string } & Earlier>(
    `select w.id, w.request_hash as hash, ${isOwned("$1", "$3")} as "isOwn" from watches w where w.user_id = $1 and w.idempotency_key = $2`,
    [userId, key, keyId ?? null],
  );
  return rows[0];
}

export interface NewWatch extends WatchContent {
  id: string;
  userId: string;
  keyId: string | null;
  request: Buffer;
  idempotency: Idempotency | undefined;
}

/** It is due at once. */
export async function addWatch(queries: Queries, added: NewWatch): Promise<void> {
  const { id, userId, idempotency } = added;
  await queries.query(
    `insert into watches (id, user_id, idempotency_key, request_hash, next_run_at,
                          key_id, name, url, options, request, every, cron, time_zone, compare_by, threshold, ignore_selectors, webhook_url)
     values ($1, $2, $3, $4, now(), $5, $6, $7, $8::jsonb, $9, $10, $11, $12, $13, $14, $15, $16)`,
    [id, userId, idempotency?.key ?? null, idempotency?.hash ?? null, ...contentValues(added)],
  );
}

/** Replaces what its owner decides. */
export async function updateWatch(queries: Queries, id: string, changed: Omit<NewWatch, "id" | "userId" | "idempotency">): Promise<void> {
  await queries.query(
    `update watches set key_id = $2, name = $3, url = $4, options = $5::jsonb, request = $6, every = $7, cron = $8, time_zone = $9,
            compare_by = $10, threshold = $11, ignore_selectors = $12, webhook_url = $13
      where id = $1`,
    [id, ...contentValues(changed)],
  );
}

function contentValues(of: Omit<NewWatch, "id" | "userId" | "idempotency">): unknown[] {
  const { every, cron, timeZone } = of.schedule;
  const { keyId, name, url, options, request, compareBy, threshold, ignoreSelectors, webhookUrl } = of;
  return [keyId, name, url, jsonbText(options), request, every, cron, timeZone, compareBy, threshold, ignoreSelectors, webhookUrl];
}

/** Its runs and what they captured are gone, too. */
export async function removeWatch(transaction: Queries, id: string): Promise<void> {
  for (const [table, capture] of [
    ["screenshots", "capture_id"],
    ["captures", "id"],
  ])
    await transaction.query(
      `update ${table} set expires_at = now() where ${capture} in (select r.id from watch_runs r where r.watch_id = $1)`,
      [id],
    );
  await transaction.query("delete from watches where id = $1", [id]);
}
