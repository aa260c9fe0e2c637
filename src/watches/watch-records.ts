/** Reads and writes watch records. */

import type { Owner } from "../accounts/keys/caller.ts";
import { type Database, jsonbText, type Queries } from "../database/database.ts";
import type { Idempotency } from "../screenshots/queued/records.ts";
import { AppError, existing } from "../shared/errors.ts";
import type { Schedule } from "./schedule.ts";

export interface WatchContent {
  name: string;
  url: string;
  /** As submitted, with secret values redacted. */
  options: Record<string, unknown>;
  schedule: Schedule;
  compareBy: "pixels" | "text" | "both";
  /** Share of pixels that must differ to count as a change, from 0 to 1. */
  threshold: number;
  ignoreSelectors: string[];
  webhookUrl: string | null;
}

export interface Watch extends WatchContent {
  /** UUIDv7. */
  id: string;
  userId: string;
  /** Key whose rules apply to its captures; null if the watch was created or last changed in the dashboard. */
  keyId: string | null;
  /** Encrypted, see `WatchRequests` in begin-run.ts. */
  request: Buffer;
  /** Number of runs that the watch has learned from. */
  learned: number;
  /** Whether its latest run failed. Of consecutive failures, only the first is reported. */
  isFailing: boolean;
  acceptedRunId: string | null;
  /** Run of the last change reported since the baseline was accepted. */
  reportedRunId: string | null;
  /** The latest run with an image. */
  latestRunId: string | null;
  /** Hashes of the changed regions found since the baseline was accepted; only the latest are kept. */
  seen: string[];
  /** Null if paused. */
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

/** @param rest appended to the statement. @throws {AppError} `not_found`. */
async function readOne(queries: Queries, rest: string, values: unknown[]): Promise<Watch> {
  return watchOf(existing((await queries.query<Row>(`select ${columns} from watches w where w.id = $1 ${rest}`, values)).rows[0]));
}

const isOwned = (user: string, key: string) =>
  `(${user}::uuid is null or w.user_id = ${user}) and (${key}::uuid is null or w.key_id = ${key})`;

/** @throws {AppError} `not_found` if the watch doesn't exist or isn't the owner's. */
export async function readWatch(queries: Queries, { userId, keyId }: Owner, id: string): Promise<Watch> {
  return await readOne(queries, `and ${isOwned("$2", "$3")}`, [id, userId, keyId ?? null]);
}

/** Ignores ownership. @throws {AppError} `not_found`. */
export async function findWatch(queries: Queries, id: string): Promise<Watch> {
  return await readOne(queries, "", [id]);
}

/** Reads the watch and locks its row. @param owner undefined to ignore ownership. @throws {AppError} `not_found`. */
export async function lockWatch(transaction: Queries, id: string, owner?: Owner): Promise<Watch> {
  const values = [id, owner?.userId ?? null, owner?.keyId ?? null];
  return await readOne(transaction, `and ${isOwned("$2", "$3")} for update`, values);
}

/**
 * Locks an enabled account's due watch, skipping watches locked by other processes.
 * @param failed ids of watches to skip. @param waiting ids of accounts to skip.
 */
export async function lockDue(transaction: Queries, failed: string[], waiting: string[]): Promise<Watch | undefined> {
  const { rows } = await transaction.query<Row>(
    `select ${columns} from watches w join users u on u.id = w.user_id
      where w.next_run_at <= now() and u.disabled_at is null and w.id <> all($1::uuid[]) and w.user_id <> all($2::uuid[])
      order by w.next_run_at limit 1 for update of w skip locked`,
    [failed, waiting],
  );
  return rows[0] && watchOf(rows[0]);
}

/** Maximum length of a list's options, ignored selectors and muted regions, in characters; a single watch has up to 400,000. */
const listCharactersMax = 1_000_000;
const charactersOf = `octet_length(w.options::text) + octet_length(array_to_string(w.ignore_selectors, ''))
  + coalesce((select sum(octet_length(m.selector) + octet_length(m.name)) from watch_muted m where m.watch_id = w.id), 0)`;

/**
 * Newest first; fewer than `limit` if they are very long together. `next` is the cursor for the following ones; null if there are none.
 * @param before cursor: only watches older than the watch with this id.
 */
export async function listWatches(
  database: Database,
  { userId, keyId }: Owner,
  { limit, before, state }: { limit: number; before?: string | undefined; state?: (typeof watchStates)[number] | undefined },
): Promise<{ watches: Watch[]; next: string | null }> {
  const { rows } = await database.query<Row & { found: number }>(
    `select ${columns}, w.found::integer
       from (select w.*, sum(w.characters) over (order by w.id desc) - w.characters as preceding, count(*) over () as found
               from (select w.*, ${charactersOf} as characters from watches w
                      where w.user_id = $1 and ($2::uuid is null or w.key_id = $2) and ($3::uuid is null or w.id < $3)
                        and ($4::text is null or ($4 = 'paused') = (w.next_run_at is null))
                      order by w.id desc limit $5 + 1) w) w
      where w.preceding < ${listCharactersMax}
      order by w.id desc limit $5`,
    [userId, keyId ?? null, before ?? null, state ?? null, limit],
  );
  const isMore = (rows[0]?.found ?? 0) > rows.length;
  return { watches: rows.map(({ found, ...row }) => watchOf(row)), next: isMore ? (rows.at(-1)?.id ?? null) : null };
}

/** @param queries a transaction, so that concurrent requests can't together exceed `max`. @throws {AppError} `watch_limit_reached`. */
export async function assertMoreWatches(queries: Queries, userId: string, max: number): Promise<void> {
  await queries.query("select pg_advisory_xact_lock(hashtextextended($1, 0))", [`watches ${userId}`]);
  const { rows } = await queries.query<{ count: number }>("select count(*)::integer as count from watches where user_id = $1", [userId]);
  if ((rows[0]?.count ?? 0) >= max)
    throw new AppError("watch_limit_reached", { message: `The account already has ${max} watches, the maximum.` });
}

/** For `findEarlier`, which finds the watch created by an earlier request with the same idempotency key. */
export const watchesOfKey = { from: "watches w", columns: "w.id", isOwn: isOwned("$1", "$3") } as const;

export interface NewWatch extends WatchContent {
  id: string;
  userId: string;
  keyId: string | null;
  request: Buffer;
  idempotency: Idempotency | undefined;
}

/** The new watch is due immediately. */
export async function addWatch(queries: Queries, added: NewWatch): Promise<void> {
  const { id, userId, idempotency } = added;
  await queries.query(
    `insert into watches (id, user_id, idempotency_key, request_hash, next_run_at,
                          key_id, name, url, options, request, every, cron, time_zone, compare_by, threshold, ignore_selectors, webhook_url)
     values ($1, $2, $3, $4, now(), $5, $6, $7, $8::jsonb, $9, $10, $11, $12, $13, $14, $15, $16)`,
    [id, userId, idempotency?.key ?? null, idempotency?.hash ?? null, ...contentValues(added)],
  );
}

/** Replaces the fields that the owner controls. */
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

const removalMs = 60_000;
/** Time limits of the transaction for {@link removeWatch}; they are long because a watch may have tens of thousands of runs. */
export const removalLimits = { timeoutMs: removalMs, statementTimeoutMs: removalMs };

/** Deletes the watch, and expires its runs' captures and images. */
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
