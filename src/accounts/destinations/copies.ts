/** Copies of stored screenshots in the account's own buckets. Each is made by a delivery in the webhook queue. */

import { v7 } from "uuid";
import type { Database, Queries } from "../../database/database.ts";
import type { Clock } from "../../shared/clock.ts";
import { extensions, type Format } from "../../shared/formats.ts";
import { parseUrl } from "../../shared/urls.ts";
import { deliveryStates } from "../../webhooks/deliveries.ts";
import { attemptsMax, type EnqueueAttempt } from "../../webhooks/emit.ts";
import type { Caller } from "../keys/caller.ts";
import { objectKeyOf } from "./object-key.ts";

export { deliveryStates as copyStates };

export interface Copy {
  /** Name of the destination. */
  destination: string;
  state: (typeof deliveryStates)[number];
  /** Key in the bucket; null if there was no destination. */
  key: string | null;
  /** Why the copy isn't in the bucket, as a sentence; set even if further attempts follow. */
  error: string | null;
}

export interface WantedCopies {
  userId: string;
  /** Ids of screenshots, whether or not they could be stored. Pending and failed screenshots are skipped. */
  screenshots: string[];
  /** Name of the destination. */
  destination: string;
  /** Name to use in the key if the screenshot isn't a named output. */
  label: string | undefined;
  /** Whether the screenshots have just been captured, in which case copies from an earlier attempt at the capture are replaced. */
  areNew: boolean;
}

/**
 * Creates copies and queues their first attempts, in the caller's transaction: a copy exists if and only if the transaction commits. A copy
 * that can't be made, because there is no such destination or no stored file, is recorded as failed. An existing copy is replaced only if
 * `areNew` is set, or if the name no longer refers to the same destination.
 * @throws {AppError} `unavailable`.
 */
export type AddCopies = (transaction: Queries, wanted: WantedCopies) => Promise<void>;

interface Row {
  id: string;
  url: string;
  output: string | null;
  format: Format;
  objectKey: string | null;
  expiresAt: Date;
  destinationId: string | null;
  endpoint: string;
  bucket: string;
  template: string;
}

/** Minimum number of days for which a copy is listed. */
const keptDaysMin = 30;
export const noDestination = "The destination was deleted.";
const notStored = "The screenshot could not be stored, so there is nothing to copy.";

/** Address under which failures are counted and shown. */
export const addressOf = ({ endpoint, bucket }: { endpoint: string; bucket: string }) => `${endpoint}/${bucket}`;

export function createAddCopies(clock: Clock, enqueue: EnqueueAttempt): AddCopies {
  return async (transaction, wanted) => {
    const { userId, screenshots, destination } = wanted;
    const { rows } = await transaction.query<Row>(
      `select s.id, s.url, s.output, s.format, s.object_key as "objectKey", s.expires_at as "expiresAt",
              d.id as "destinationId", d.endpoint, d.bucket, d.template
         from screenshots s left join destinations d on d.user_id = s.user_id and d.name = $3
        where s.id = any($1::uuid[]) and s.user_id = $2 and s.status = 'done' order by s.id`,
      [screenshots, userId, destination],
    );
    for (const row of rows) await insert(transaction, row, wanted, new Date(clock.now()), enqueue);
  };
}

async function insert(transaction: Queries, row: Row, wanted: WantedCopies, now: Date, enqueue: EnqueueAttempt): Promise<void> {
  const { userId, destination, areNew } = wanted;
  const { id, destinationId, objectKey, expiresAt } = row;
  const error = destinationId === null ? noDestination : objectKey === null ? notStored : null;
  const key = destinationId === null ? null : keyOf(row, wanted.label);
  const { rows } = await transaction.query<{ attemptId: string | null }>(
    `insert into webhook_deliveries as w
       (id, user_id, type, url, body, state, error, tries_max, next_try_id, next_try_at, created_at, settled_at,
        screenshot_id, destination_id, destination, object_key, expires_at)
     values ($1, $2, 'copy', $3, $4, $5, $6, $7, $8, case when $6::text is null then $9::timestamptz end, $9, case when $6::text is not null then $9::timestamptz end,
             $10, $11, $12, $13, greatest($14, $9::timestamptz + $15 * interval '1 day'))
     on conflict (screenshot_id, destination) where screenshot_id is not null do update
       set url = excluded.url, body = excluded.body, state = excluded.state, error = excluded.error, status = null,
           tries_max = w.tries + excluded.tries_max, next_try_id = excluded.next_try_id, next_try_at = excluded.next_try_at,
           settled_at = excluded.settled_at, destination_id = excluded.destination_id, object_key = excluded.object_key,
           expires_at = excluded.expires_at
     where $16 or w.destination_id is distinct from excluded.destination_id
     returning next_try_id as "attemptId"`,
    [
      ...[
        v7(),
        userId,
        destinationId === null ? "" : addressOf(row),
        JSON.stringify({ type: "copy", data: { screenshot: id, destination, key } }),
      ],
      ...[error === null ? "pending" : "failed", error, attemptsMax, error === null ? v7() : null, now],
      ...[id, destinationId, destination, key, expiresAt, keptDaysMin, areNew],
    ],
  );
  const attemptId = rows[0]?.attemptId;
  if (attemptId) await enqueue(transaction, { id: attemptId, userId });
}

function keyOf({ id, url, output, format, template }: Row, label: string | undefined): string {
  const page = parseUrl(url);
  return objectKeyOf(template, { id, url: page?.host ? page : undefined, label: output ?? label, extension: extensions[format] });
}

/** Ids of a cached screenshot and its slices. */
interface StoredShot {
  id: string;
  slices?: { id: string }[] | undefined;
}

/**
 * If a request that got a screenshot from the cache names a destination, queues a copy of the screenshot or of each of its slices.
 * @throws {AppError} `unavailable`.
 */
export type CopyStored = (caller: Caller, options: CopyOptions, stored: StoredShot) => Promise<void>;

/** The capture options that concern copies. */
export interface CopyOptions {
  destination?: string | undefined;
  attachment_name?: string | undefined;
}

export function createCopyStored(database: Database, addCopies: AddCopies): CopyStored {
  return async ({ userId }, { destination, attachment_name: label }, { id, slices }) => {
    if (destination === undefined) return;
    const screenshots = slices ? slices.map((slice) => slice.id) : [id];
    await database.transaction((transaction) => addCopies(transaction, { userId, screenshots, destination, label, areNew: false }));
  };
}

/** The copies of each screenshot, newest first; screenshots without copies are omitted. @throws {AppError} `unavailable`. */
export type ReadCopies = (userId: string, screenshots: string[]) => Promise<Map<string, Copy[]>>;

/** See {@link ReadCopies}. */
export async function copiesOf(queries: Queries, userId: string, screenshots: string[]): Promise<Map<string, Copy[]>> {
  const { rows } = await queries.query<Copy & { screenshotId: string }>(
    `select w.screenshot_id as "screenshotId", w.destination, w.object_key as key,
            case when w.state = 'pending' and d.id is null then 'failed' else w.state end as state,
            case when w.state = 'pending' and d.id is null then $3 else w.error end as error
       from webhook_deliveries w left join destinations d on d.id = w.destination_id
      where w.screenshot_id = any($1::uuid[]) and w.user_id = $2 order by w.created_at desc, w.id`,
    [screenshots, userId, noDestination],
  );
  const copies = new Map<string, Copy[]>();
  for (const { screenshotId, ...copy } of rows) copies.set(screenshotId, [...(copies.get(screenshotId) ?? []), copy]);
  return copies;
}
