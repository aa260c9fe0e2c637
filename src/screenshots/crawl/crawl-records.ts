/** Records of crawls (batches that follow the links on their pages), and of the addresses that crawls have seen. */

import { type Database, jsonbText, type Queries } from "../../database/database.ts";
import type { Robots } from "../../sitemaps/robots.ts";
import type { Found } from "./followed-links.ts";
import type { LeftOut } from "./left-out.ts";

export interface NewCrawl {
  url: URL;
  /** Maximum number of links between the first page and any other. */
  depth: number;
  /** Maximum number of pages. */
  limit: number;
  include: string[];
  exclude: string[];
  robots: Robots;
}

export interface CrawlRecord extends Omit<NewCrawl, "url"> {
  origin: string;
  loaded: number;
  leftOut: LeftOut;
  /** Number of addresses in `leftOut` that are remembered, so that each is counted only once. */
  remembered: number;
  isStopped: boolean;
  /** Milliseconds since the batch was created. */
  ageMs: number;
}

/** @param crawl includes the first page's capture and address hash. */
export async function addCrawl(queries: Queries, batchId: string, crawl: NewCrawl & { captureId: string; hash: Buffer }): Promise<void> {
  const { url, depth, limit, include, exclude, robots, captureId, hash } = crawl;
  await queries.query(
    `with added as (
       insert into crawls (batch_id, url, origin, depth, pages, include, exclude, robots) values ($1, $2, $3, $4, $5, $6, $7, $8::jsonb)
       returning batch_id
     )
     insert into crawl_addresses (batch_id, hash, capture_id) select batch_id, $9::bytea, $10::uuid from added`,
    [batchId, url.href, url.origin, depth, limit, include, exclude, jsonbText(robots), hash, captureId],
  );
}

/** Undefined if the batch isn't a crawl, or was deleted. */
export async function findCrawl(queries: Queries, batchId: string): Promise<CrawlRecord | undefined> {
  const { rows } = await queries.query<CrawlRecord>(
    `select origin, k.depth, pages as "limit", include, exclude, robots, loaded, left_out as "leftOut", remembered,
            stopped_at is not null as "isStopped", extract(epoch from clock_timestamp() - b.created_at)::float8 * 1000 as "ageMs"
       from crawls k join batches b on b.id = k.batch_id where k.batch_id = $1`,
    [batchId],
  );
  return rows[0];
}

export async function moveCrawl(database: Database, batchId: string, origin: string, robots: Robots): Promise<void> {
  await database.query("update crawls set origin = $2, robots = $3::jsonb where batch_id = $1", [batchId, origin, jsonbText(robots)]);
}

/** Stops the crawl from adding pages. */
export async function stopCrawl(queries: Queries, batchId: string): Promise<void> {
  await queries.query("update crawls set stopped_at = now() where batch_id = $1 and stopped_at is null", [batchId]);
}

/** Claims the address for the capture. Returns false if it belongs to another capture that is queued, running or done. */
export async function claimAddress(queries: Queries, batchId: string, hash: Buffer, captureId: string): Promise<boolean> {
  const { rowCount } = await queries.query(
    `insert into crawl_addresses as a (batch_id, hash, capture_id) values ($1, $2, $3)
     on conflict (batch_id, hash) do update set capture_id = excluded.capture_id
      where a.capture_id is null or a.capture_id = excluded.capture_id
         or not exists (select from captures c where c.id = a.capture_id and c.status in ('queued', 'running', 'done'))`,
    [batchId, hash, captureId],
  );
  return rowCount === 1;
}

/**
 * Reserves the next visit that the site's `Crawl-delay` allows. Call this immediately before each page load.
 * @param isAgain whether the capture has loaded the page before. @returns milliseconds to wait.
 */
export async function delayVisit(queries: Queries, captureId: string, isAgain: boolean): Promise<number> {
  const { rows } = await queries.query<{ ms: number }>("select delay_visit($1, $2) as ms", [captureId, isAgain]);
  return rows[0]?.ms ?? 0;
}

/** A crawl's record of an address. */
export interface Known {
  isTaken: boolean;
  reason: string | null;
}

/** The crawl's records of the addresses with these hashes, keyed by hash. @param hashes in base64. */
export async function knownAddresses(queries: Queries, batchId: string, hashes: string[]): Promise<Map<string, Known>> {
  const { rows } = await queries.query<Known & { hash: Buffer }>(
    `select hash, capture_id is not null as "isTaken", reason from crawl_addresses where batch_id = $1 and hash = any($2::bytea[])`,
    [batchId, hashes.map(bytesOf)],
  );
  return new Map(rows.map(({ hash, ...known }) => [hash.toString("base64"), known]));
}

/** Number of pages with each of these hashes from `varietyOf`. @param varieties in base64; also the keys of the result. */
export async function countVarieties(queries: Queries, batchId: string, varieties: string[]): Promise<Map<string, number>> {
  const { rows } = await queries.query<{ variety: Buffer; count: number }>(
    `select variety, count(*)::integer as count from crawl_addresses
      where batch_id = $1 and variety = any($2::bytea[]) and capture_id is not null group by variety`,
    [batchId, varieties.map(bytesOf)],
  );
  return new Map(rows.map(({ variety, count }) => [variety.toString("base64"), count]));
}

/** The decision about an address: the capture that takes it, or the reason for leaving it out. */
export type Decided = Pick<Found, "hash" | "variety" | "reason"> & { captureId: string | undefined };

export async function rememberAddresses(queries: Queries, batchId: string, decided: Decided[]): Promise<void> {
  await queries.query(
    `insert into crawl_addresses as a (batch_id, hash, variety, capture_id, reason)
     select $1::uuid, * from unnest($2::bytea[], $3::bytea[], $4::uuid[], $5::text[])
     on conflict (batch_id, hash) do update set capture_id = excluded.capture_id, variety = excluded.variety
      where a.capture_id is null and excluded.capture_id is not null`,
    [
      batchId,
      decided.map(({ hash }) => bytesOf(hash)),
      decided.map(({ variety }) => (variety === undefined ? null : bytesOf(variety))),
      decided.map(({ captureId }) => captureId ?? null),
      decided.map(({ reason }) => reason ?? null),
    ],
  );
}

const bytesOf = (hash: string) => Buffer.from(hash, "base64");

export interface Growth {
  /** Number of pages added, all of them at `depth`. */
  added: number;
  depth: number;
  leftOut: LeftOut;
  remembered: number;
}

/** @param queries a transaction that has locked the batch. */
export async function recordGrowth(queries: Queries, batchId: string, { added, depth, leftOut, remembered }: Growth): Promise<void> {
  await queries.query(
    `with grown as (
       update crawls set loaded = loaded + $2, deepest = case when $2 > 0 then greatest(deepest, $3) else deepest end,
                         left_out = $4::jsonb, remembered = $5
        where batch_id = $1 returning batch_id
     )
     update batches b set total = total + $2 from grown where b.id = grown.batch_id`,
    [batchId, added, depth, jsonbText(leftOut), remembered],
  );
}

/** Removes an unfinished capture from the crawl. Returns false if there is none. @param queries a transaction that has locked the batch. */
export async function removePage(queries: Queries, batchId: string, captureId: string): Promise<boolean> {
  const { rowCount } = await queries.query(
    `with removed as (delete from captures where id = $2 and batch_id = $1 and status in ('queued', 'running') returning batch_id, depth),
     lifted as (
       update crawls k set deepest = (select coalesce(max(c.depth), 0) from captures c where c.batch_id = $1 and c.id <> $2)
         from removed where k.batch_id = removed.batch_id and k.deepest = removed.depth)
     update batches b set total = total - 1 from removed where b.id = removed.batch_id`,
    [batchId, captureId],
  );
  return rowCount === 1;
}

/** Forgets the addresses of a crawl that has ended. */
export async function forgetAddresses(queries: Queries, batchId: string): Promise<void> {
  await queries.query("delete from crawl_addresses where batch_id = $1", [batchId]);
}

/** Names in the batch that equal one of `names`, optionally followed by `-` and a number. Ignores case. */
export async function similarNames(queries: Queries, batchId: string, names: string[]): Promise<string[]> {
  const { rows } = await queries.query<{ name: string }>(
    `with wanted as (select name from unnest($2::text[]) as name union select lower(name) from unnest($2::text[]) as name)
     select c.name from captures c, regexp_replace(c.name, '-[0-9]+$', '') as stem
      where c.batch_id = $1
        and (c.name in (table wanted) or lower(c.name) in (table wanted) or stem in (table wanted) or lower(stem) in (table wanted))`,
    [batchId, names],
  );
  return rows.map(({ name }) => name);
}
