/**
 * Drops captures whose response was not sent: refunded, and their images can't be read anymore. Stored images expire immediately, so that
 * retention removes their files; one that is stored only afterwards is removed by the process that stored it, whose `settle` fails.
 */

import type { Queries } from "../../database/database.ts";
import { failing, refunded } from "./refund.ts";

/** A dropped image. */
export interface DroppedImage {
  id: string;
  userId: string;
  cacheKey: Buffer;
}

/** Makes a cache forget images that can't be read anymore. Never rejects. */
export type OnDropped = (images: DroppedImage[]) => Promise<void>;

interface Dropped {
  /** Number of captures. */
  count: number;
  images: DroppedImage[];
}

/** The response of a dropped capture, as `CaptureResult` in screenshots/captures/finished-capture.ts. */
const unansweredResult = JSON.stringify({
  failure: { code: "unavailable", message: "The response could not be sent. Nothing was charged, and nothing was kept.", retryable: true },
});

/** @param captures a common table of the statement, with the ids of captures. `$1` is the recorded error. */
const dropping = (captures: string) => `own as (
    select s.id from screenshots s join ${captures} c on c.id = s.capture_id
     where s.status <> 'failed' order by s.id for update of s
  ), dropped as (
    update screenshots s set ${failing}, error = $1 from own where s.id = own.id
    returning s.id, s.capture_id, s.user_id, s.period_start, s.costs, s.cache_key
  ), ${refunded("dropped")}
  select c.id as "captureId", d.id, d.user_id as "userId", d.cache_key as "cacheKey"
    from ${captures} c left join dropped d on d.capture_id = c.id`;

interface Row extends Omit<DroppedImage, "id"> {
  captureId: string;
  id: string | null;
}

/** Drops all outputs of a capture; `count` is 0 if there are none left. */
export async function dropCapture(database: Queries, captureId: string, error: string): Promise<Dropped> {
  const text = `with given as (select $2::uuid as id), ${dropping("given")}`;
  const { images } = droppedOf((await database.query<Row>(text, [error, captureId])).rows);
  return { count: Math.min(images.length, 1), images };
}

/** Drops a capture, unless its response has been confirmed. */
export async function dropUnanswered(database: Queries, captureId: string): Promise<Dropped> {
  return await endUnanswered(database, "unavailable", "id = $3", captureId);
}

/** Drops captures whose process died before confirming the response: at most `limit`. */
export async function sweepUnanswered(database: Queries, limit: number): Promise<Dropped> {
  return await endUnanswered(database, "abandoned", "answer_by < now() order by answer_by limit $3 for update skip locked", limit);
}

/** @param which SQL condition; `$3` is `value`. */
async function endUnanswered(database: Queries, error: string, which: string, value: unknown): Promise<Dropped> {
  const text = `with unanswered as (
      update captures
         set answer_by = null, status = 'failed', turn = null, request = null, result = $2::jsonb,
             ended_at = coalesce(ended_at, clock_timestamp())
       where answer_by is not null and id in (select id from captures where ${which})
      returning id
    ), ${dropping("unanswered")}`;
  return droppedOf((await database.query<Row>(text, [error, unansweredResult, value])).rows);
}

function droppedOf(rows: Row[]): Dropped {
  const images = rows.flatMap(({ id, userId, cacheKey }) => (id === null ? [] : [{ id, userId, cacheKey }]));
  return { count: new Set(rows.map(({ captureId }) => captureId)).size, images };
}
