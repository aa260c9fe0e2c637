/** A watch's muted regions, either set by its owner or learned from its first runs. */

import { v7 } from "uuid";
import type { Box } from "../comparison/comparison.ts";
import { type Database, jsonbText, type Queries, storableText } from "../database/database.ts";
import { AppError } from "../shared/errors.ts";

/** A muted region, by selector or by box. */
export type MutedRegion = { selector: string; box: null } | { selector: null; box: Box };

export type Muted = MutedRegion & {
  id: string;
  isLearned: boolean;
  /** Display name. */
  name: string;
  createdAt: Date;
};

const max = 100;

const columns = `id, selector, box, is_learned as "isLearned", name, created_at as "createdAt"`;

/** Muted regions by watch id, oldest first. */
export async function listMuted(database: Database, watchIds: string[]): Promise<Map<string, Muted[]>> {
  const { rows } = await database.query<Muted & { watchId: string }>(
    `select watch_id as "watchId", ${columns} from watch_muted where watch_id = any($1::uuid[]) order by id`,
    [watchIds],
  );
  return Map.groupBy(rows, ({ watchId }) => watchId);
}

/**
 * Does nothing if the region is already muted, unless the watch is at its limit.
 * @param transaction must hold the watch's lock.
 * @throws {AppError} `invalid_parameters` if the watch already has the maximum number of muted regions.
 */
export async function mute(transaction: Queries, watchId: string, region: MutedRegion, name: string): Promise<void> {
  if ((await add(transaction, watchId, [{ ...region, name }], false)) === "full") {
    const message = `the watch already has ${max} muted regions: a selector can match several elements`;
    throw new AppError("invalid_parameters", { details: [{ parameter: region.selector === null ? "box" : "selector", message }] });
  }
}

/** Adds regions up to the limit. @param transaction must hold the watch's lock. */
export async function muteLearned(transaction: Queries, watchId: string, regions: (MutedRegion & { name: string })[]): Promise<void> {
  await add(transaction, watchId, regions, true);
}

async function add(transaction: Queries, watchId: string, regions: (MutedRegion & { name: string })[], isLearned: boolean) {
  const { rows } = await transaction.query<{ count: number }>("select count(*)::integer as count from watch_muted where watch_id = $1", [
    watchId,
  ]);
  const left = max - (rows[0]?.count ?? 0);
  for (const { selector, box, name } of regions.slice(0, left))
    await transaction.query(
      `insert into watch_muted (id, watch_id, selector, box, is_learned, name) values ($1, $2, $3, $4::jsonb, $5, $6)
       on conflict do nothing`,
      [v7(), watchId, selector, box && jsonbText(box), isLearned, storableText(name.slice(0, 300))],
    );
  return regions.length > left ? "full" : "added";
}

/** Does nothing if the region doesn't exist. */
export async function unmute(database: Queries, watchId: string, id: string): Promise<void> {
  await database.query("delete from watch_muted where id = $1 and watch_id = $2", [id, watchId]);
}

/** Used when a watch starts over. */
export async function forgetLearned(transaction: Queries, watchId: string): Promise<void> {
  await transaction.query("delete from watch_muted where watch_id = $1 and is_learned", [watchId]);
}
