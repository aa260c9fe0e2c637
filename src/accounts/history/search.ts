/**
 * Finds screenshots in an account's history, ordered by id and therefore by time. Reads a bounded number of rows, no matter how many the
 * account has: if no index serves a filter, the search may stop early, and reports how far it got.
 */

import type { QueryResultRow } from "pg";
import type { Database } from "../../database/database.ts";
import { playgroundKeyId } from "../usage/counts.ts";
import { idRange } from "./id-time.ts";

export interface HistoryFilter {
  status?: "pending" | "done" | "failed" | undefined;
  /** Null for captures from the dashboard. */
  keyId?: string | null | undefined;
  /** Substring of the URL, case-insensitive. */
  url?: string | undefined;
  /** Substring of the URL or the page's title, case-insensitive. */
  text?: string | undefined;
  format?: string | null | undefined;
  verdict?: string | undefined;
  /** First and last day, `YYYY-MM-DD` in UTC. */
  since?: string | undefined;
  until?: string | undefined;
}

export interface HistorySearch {
  /** Finds only ids past this one, in the search's direction. */
  from?: string | undefined;
  direction: "older" | "newer";
  limit: number;
}

export interface HistorySearchResult {
  /** At most `limit`, nearest first. */
  ids: string[];
  /** Every match up to this id has been found; if null, every match in the history. */
  reached: string | null;
}

/**
 * Number of rows that a search reads at most, approximately, unless a filter matches many kinds: then up to `readMinOfKind` rows of each.
 * Each row may be in a different block, which takes up to 70 µs to read.
 */
const searchedMax = 600;
const countedMax = 1_000;
const readMinOfKind = 100;

/** An SQL condition and its values, one for each `?`. */
type Condition = [sql: string, ...values: unknown[]];

/** Collects a statement's values while its text is built. */
function statement(userId: string) {
  const values: unknown[] = [userId];
  const add = ([sql, ...given]: Condition) =>
    sql.replaceAll("?", () => {
      values.push(given.shift());
      return `$${values.length}`;
    });
  return { values, all: (conditions: Condition[]) => conditions.map((one) => `(${add(one)})`).join(" and ") || "true" };
}

/** Expressions that make up a screenshot's kind; the indexes `screenshots_kinds` and `screenshots_kinds_of_key` contain the same ones. */
const kindColumns = ["s.status", "coalesce(s.format, '')", "coalesce(s.verdict, '')"].join(", ");
const keyColumn = `coalesce(s.key_id, '${playgroundKeyId}')`;

function conditionsOf(filter: HistoryFilter) {
  const { status, keyId, url, text, format, verdict } = filter;
  const key: Condition[] = keyId === undefined ? [] : [[`${keyColumn} = ?::uuid`, keyId ?? playgroundKeyId]];
  const kind: Condition[] = [];
  if (status) kind.push(["k.status = ?", status]);
  if (format) kind.push(["k.format = ?", format]);
  if (verdict) kind.push(["k.verdict = ?", verdict]);
  const { after, before, since, end } = idRange(filter);
  const range: Condition[] = [];
  const read: Condition[] = [["w.expires_at > now()"]];
  if (url) read.push(["position(lower(?) in lower(w.url)) > 0", url]);
  if (text) read.push(["position(lower(?) in lower(w.url)) > 0 or position(lower(?) in lower(w.title)) > 0", text, text]);
  if (after) range.push(["s.id >= ?::uuid", after]);
  if (before) range.push(["s.id < ?::uuid", before]);
  if (since) read.push(["w.created_at >= ?::timestamptz", since]);
  if (end) read.push(["w.created_at < ?::timestamptz", end]);
  const mayBePending = (status ?? "pending") === "pending" && !format && !verdict;
  return { key, kind, range, read, mayBePending, mayHaveEnded: status !== "pending" };
}

type Conditions = ReturnType<typeof conditionsOf>;

/** The rows `s` that satisfy `where` for each row `k` of `table`. */
interface Part {
  table: string;
  where: string;
}

/**
 * The parts of the history in which a filter can match, each read through an index: the whole history, or the matching kinds. The existing
 * kinds are found by a loose index scan, so the cost depends on the number of kinds and not on the number of rows.
 */
function partsOf({ key, kind, range, mayBePending, mayHaveEnded }: Conditions, isPlain: boolean, all: (of: Condition[]) => string) {
  const whole = "(values (1)) k";
  if (isPlain) return { kinds: "", parts: [{ table: whole, where: `s.user_id = $1 and ${all(range)}` }] };
  const parts: Part[] = [];
  let kinds = "";
  if (mayHaveEnded) {
    const ended = `s.user_id = $1 and s.status <> 'pending' and ${all(key)}`;
    const next = (after: string) =>
      `select s.status, coalesce(s.format, '') as format, coalesce(s.verdict, '') as verdict from screenshots s
        where ${ended} ${after} order by s.user_id, ${key.length > 0 ? `${keyColumn}, ` : ""}${kindColumns} limit 1`;
    kinds = `with recursive kinds as (
        (${next("")})
        union all
        select n.* from kinds k cross join lateral (${next(`and (${kindColumns}) > (k.status, k.format, k.verdict)`)}) n
      ), chosen as materialized (select * from kinds k where ${all(kind)})`;
    parts.push({ table: "chosen k", where: `${ended} and ${all(range)} and (${kindColumns}) = (k.status, k.format, k.verdict)` });
  }
  if (mayBePending) parts.push({ table: whole, where: `s.user_id = $1 and s.status = 'pending' and ${all(key)} and ${all(range)}` });
  return { kinds, parts };
}

/**
 * Forces a statement to read rows in index order. Across partitions PostgreSQL underestimates how many rows a kind has, and might otherwise
 * read and sort all of them.
 */
async function inIndexOrder<Row extends QueryResultRow>(database: Database, text: string, values: unknown[]): Promise<Row[]> {
  return await database.transaction(async ({ query }) => {
    await query("set local jit = off; set local enable_sort = off; set local enable_bitmapscan = off; set local enable_seqscan = off");
    return (await query<Row>(text, values)).rows;
  });
}

const isPlainFilter = ({ status, keyId, format, verdict }: HistoryFilter) => !status && keyId === undefined && !format && !verdict;

export async function searchHistory(
  database: Database,
  userId: string,
  filter: HistoryFilter,
  search: HistorySearch,
): Promise<HistorySearchResult> {
  const found = await searchParts(database, userId, filter, search, isPlainFilter(filter));
  if (found.reached === null || found.ids.length === search.limit || isPlainFilter(filter)) return found;
  // The kinds share the row budget. If nearly all rows are of matching kinds, reading every row gets further.
  const plain = await searchParts(database, userId, filter, search, true);
  const further = search.direction === "older" ? (plain.reached ?? "") < found.reached : (plain.reached ?? "g") > found.reached;
  return further ? plain : found;
}

async function searchParts(
  database: Database,
  userId: string,
  filter: HistoryFilter,
  { from, direction, limit }: HistorySearch,
  isPlain: boolean,
): Promise<HistorySearchResult> {
  const conditions = conditionsOf(filter);
  const { values, all } = statement(userId);
  const [order, beyond, furthest] = direction === "older" ? ["desc", "<", ">="] : ["", ">", "<="];
  if (from !== undefined) conditions.range.push([`s.id ${beyond} ?::uuid`, from]);
  const { kinds, parts } = partsOf(conditions, isPlain, all);
  const facets: Condition[] = isPlain ? [...asRead(conditions.kind), ...asRead(conditions.key)] : [];
  const read = all([...conditions.read, ...facets]);
  if (parts.length === 0) return { ids: [], reached: null };
  const rowsMax = isPlainFilter(filter) ? searchedMax : searchedMax / 2; // a second search may follow
  const count = kinds ? `greatest(${readMinOfKind}, ${rowsMax} / (select greatest(count(*), 1) from chosen))` : String(rowsMax);
  // PostgreSQL fills `w` lazily and in order, so it stops reading rows once there are enough matches.
  const matches = ({ table, where }: Part) => `
    select m.ids, m.edge from ${table} cross join lateral (
      with w as materialized (
        select s.id, s.url, s.title, s.expires_at, s.created_at, s.status, s.format, s.verdict, s.key_id
          from screenshots s where ${where} order by s.id ${order} limit ${count}
      ), found as materialized (select array(select w.id from w where ${read} limit ${limit}) as ids)
      select ids, case when cardinality(ids) = ${limit} then ids[${limit}] else (select w.id from w offset ${count} - 1 limit 1) end as edge
        from found) m`;
  const rows = await inIndexOrder<HistorySearchResult>(
    database,
    `${kinds ? `${kinds}, ` : "with "}part as materialized (${parts.map(matches).join(" union all ")}),
      horizon as (select (select edge from part where edge is not null order by edge ${order} limit 1) as reached)
      select reached, array(
        select id from part cross join lateral unnest(ids) id where reached is null or id ${furthest} reached order by id ${order} limit ${limit}
      ) as ids from horizon`,
    values,
  );
  return rows[0] ?? { ids: [], reached: null };
}

/** Rewrites conditions on kinds and keys so that they apply to the rows `w`. */
const asRead = (conditions: Condition[]): Condition[] =>
  conditions.map(([sql, ...values]) => [sql.replaceAll(/\b[ks]\./g, "w."), ...values]);

/** @returns `count`, at most 1,000; `isComplete` is false if there may be more. */
export async function countScreenshots(
  database: Database,
  userId: string,
  filter: HistoryFilter,
): Promise<{ count: number; isComplete: boolean }> {
  const conditions = conditionsOf(filter);
  const { values, all } = statement(userId);
  const { kinds, parts } = partsOf(conditions, isPlainFilter(filter), all);
  if (parts.length === 0) return { count: 0, isComplete: true };
  const rowsOf = ({ table, where }: Part) =>
    `select w.* from ${table} cross join lateral (
       select s.url, s.title, s.expires_at, s.created_at from screenshots s where ${where} order by s.id desc limit ${countedMax + 1}) w`;
  const rows = await inIndexOrder<{ count: number; read: number }>(
    database,
    `${kinds} select (count(*) filter (where ${all(conditions.read)}))::integer as count, count(*)::integer as read
      from (${parts.map(rowsOf).join(" union all ")} limit ${countedMax + 1}) w`,
    values,
  );
  const { count = 0, read = 0 } = rows[0] ?? {};
  return { count: Math.min(count, countedMax), isComplete: read <= countedMax };
}
