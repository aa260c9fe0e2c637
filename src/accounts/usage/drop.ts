/**
 * Drops captures whose response was not sent: they are refunded, and their outputs can't be read. An image stored after the drop is
 * removed by the process that stored it, because its `settle` call resolves to false. If the process that would have responded has
 * died, images that are already stored expire immediately, so that retention removes their files.
 */

import { jsonbText, type Queries } from "../../database/database.ts";
import { failing, refunded } from "./refund.ts";

export interface DroppedImage {
  id: string;
  userId: string;
  cacheKey: Buffer;
}

/** Removes dropped images from a cache. Never rejects. */
export type OnDropped = (images: DroppedImage[]) => Promise<void>;

interface Dropped {
  /** Number of captures. */
  count: number;
  images: DroppedImage[];
}

/** The error recorded for a dropped capture. */
export interface DropReason {
  /** Error code recorded for each output. */
  error: string;
  /** Result of the capture: a `CaptureResult` from screenshots/captures/finished-capture.ts. */
  result: object;
}

const unanswered = {
  failure: { code: "unavailable", message: "The response could not be sent. Nothing was charged, and nothing was kept.", retryable: true },
};

interface Row extends Omit<DroppedImage, "id"> {
  captureId: string;
  id: string | null;
}

/** Drops a capture unless its response has been confirmed, or an output is stored, which the caller may have read. */
export async function dropUnanswered(
  database: Queries,
  captureId: string,
  reason: DropReason = { error: "unavailable", result: unanswered },
): Promise<Dropped> {
  return await endUnanswered(database, reason, "id = $3", { value: captureId, keepsStored: true });
}

/** Drops at most `limit` captures whose response was not confirmed in time, even if their outputs are stored. */
export async function sweepUnanswered(database: Queries, limit: number): Promise<Dropped> {
  const which = "answer_by < now() order by answer_by limit $3";
  return await endUnanswered(database, { error: "abandoned", result: unanswered }, which, { value: limit, keepsStored: false });
}

/** @param which SQL condition, optionally followed by `order by` and `limit`; `$3` is `value`. */
async function endUnanswered(
  database: Queries,
  { error, result }: DropReason,
  which: string,
  { value, keepsStored }: { value: unknown; keepsStored: boolean },
): Promise<Dropped> {
  const skip = keepsStored ? "" : "skip locked";
  const text = `with open as (
      select id from captures where answer_by is not null and ${which} for update ${skip}
    ), own as (
      select s.id, s.capture_id, s.status, s.object_key from screenshots s join open on open.id = s.capture_id
       where s.status <> 'failed' order by s.id for update of s
    ), unanswered as (
      update captures c
         set answer_by = null, status = 'failed', turn = null, request = null, result = $2::jsonb,
             ended_at = coalesce(ended_at, clock_timestamp())
        from open
       where c.id = open.id
         and not ($4 and exists (select from own where own.capture_id = c.id and own.status = 'done' and own.object_key is not null))
      returning c.id
    ), dropped as (
      update screenshots s set ${failing}, error = $1 from own join unanswered u on u.id = own.capture_id where s.id = own.id
      returning s.id, s.capture_id, s.user_id, s.period_start, s.costs, s.cache_key
    ), ${refunded("dropped")}
    select u.id as "captureId", d.id, d.user_id as "userId", d.cache_key as "cacheKey"
      from unanswered u left join dropped d on d.capture_id = u.id`;
  const { rows } = await database.query<Row>(text, [error, jsonbText(result), value, keepsStored]);
  const images = rows.flatMap(({ id, userId, cacheKey }) => (id === null ? [] : [{ id, userId, cacheKey }]));
  return { count: new Set(rows.map(({ captureId }) => captureId)).size, images };
}
