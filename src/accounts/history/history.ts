/** Lists, reads and deletes an account's screenshots. */

import type { Database } from "../../database/database.ts";
import { existing } from "../../shared/errors.ts";
import type { Format } from "../../shared/formats.ts";
import { timeOfId } from "./id-time.ts";
import { type HistoryFilter, searchHistory } from "./search.ts";

export interface HistoryEntry {
  id: string;
  url: string;
  /** The page's title; null if it has none or wasn't captured. */
  title: string | null;
  status: "pending" | "done" | "failed";
  /** Null for captures from the playground, from batches started in the dashboard, and from watches last changed in the dashboard. */
  keyId: string | null;
  keyName: string | null;
  keyHint: string | null;
  format: Format | null;
  width: number | null;
  height: number | null;
  bytes: number | null;
  durationMs: number | null;
  /** Key in the image store; null if the image isn't stored. */
  objectKey: string | null;
  /** Verdict on what the screenshot shows; null unless it is done. */
  verdict: string | null;
  /** Reason for the verdict, as a sentence for users; null if none is needed. */
  verdictReason: string | null;
  error: string | null;
  /** Id of the capture and name of this output, if the capture has several outputs; otherwise null. */
  captureId: string | null;
  output: string | null;
  createdAt: Date;
  expiresAt: Date;
}

export interface StoredScreenshot extends HistoryEntry {
  /** HTTP status of the target's response; null if unknown. */
  targetStatus: number | null;
  /** URL after redirects; null if unknown. */
  finalUrl: string | null;
  warnings: string[];
  /** Duration of each phase in milliseconds; null if unknown. */
  timings: { queue: number; navigate: number; wait: number; shoot: number } | null;
  options: Record<string, unknown>;
  /** Record of the capture, if it was requested with `explain`. */
  explanation: object | null;
  /** Key in the cache. */
  cacheKey: Buffer;
}

export interface HistoryPage {
  /** Newest first; at most the limit. */
  screenshots: HistoryEntry[];
  /** Cursor of the next page; null on the last page. */
  next: string | null;
  /** How far back the search got, if there may be older matches; null if it found a full page or reached the end. */
  searchedTo: Date | null;
}

const columns = `s.id, s.url, s.title, s.status, s.key_id as "keyId", k.name as "keyName", k.hint as "keyHint", s.format, s.width, s.height, s.bytes,
  s.duration_ms as "durationMs", s.object_key as "objectKey", s.verdict, s.verdict_reason as "verdictReason", s.error,
  s.capture_id as "captureId", s.output, s.created_at as "createdAt", s.expires_at as "expiresAt"`;
const from = "from screenshots s left join api_keys k on k.id = s.key_id and k.user_id = s.user_id";

/** At most `limit` screenshots older than `before`, newest first; fewer if the search hits its row limit first. */
export async function listScreenshots(
  database: Database,
  userId: string,
  { before, limit, ...filter }: HistoryFilter & { before?: string | undefined; limit: number },
): Promise<HistoryPage> {
  const { ids, reached } = await searchHistory(database, userId, filter, { from: before, direction: "older", limit: limit + 1 });
  const shown = ids.slice(0, limit);
  const found = await findScreenshots(database, userId, shown);
  const screenshots = shown.flatMap((id) => found.get(id) ?? []);
  if (ids.length > limit) return { screenshots, next: shown.at(-1) ?? null, searchedTo: null };
  return { screenshots, next: reached, searchedTo: reached === null ? null : timeOfId(reached) };
}

/** Ids of the nearest newer and older screenshots that match; each is null if there is none within the search's row limit. */
export async function neighbors(
  database: Database,
  userId: string,
  id: string,
  filter: HistoryFilter,
): Promise<{ newer: string | null; older: string | null }> {
  const next = async (direction: "newer" | "older") => {
    const { ids } = await searchHistory(database, userId, filter, { from: id, direction, limit: 1 });
    return ids[0] ?? null;
  };
  const [newer, older] = await Promise.all([next("newer"), next("older")]);
  return { newer, older };
}

/** @throws {AppError} `not_found` if the user has no such screenshot, or it has expired. */
export async function readScreenshot(database: Database, userId: string, id: string): Promise<StoredScreenshot> {
  const { rows } = await database.query<StoredScreenshot>(
    `select ${columns}, s.options, s.explanation, s.cache_key as "cacheKey", s.target_status as "targetStatus", s.final_url as "finalUrl",
            coalesce(s.warnings, '[]') as warnings, s.timings
       ${from} where s.id = $1 and s.user_id = $2 and s.expires_at > now()`,
    [id, userId],
  );
  return existing(rows[0]);
}

/** The user's screenshots among `ids` that haven't expired, keyed by id. */
export async function findScreenshots(
  database: Database,
  userId: string,
  ids: string[],
): Promise<Map<string, HistoryEntry & Pick<StoredScreenshot, "finalUrl">>> {
  const { rows } = await database.query<HistoryEntry & Pick<StoredScreenshot, "finalUrl">>(
    `select ${columns}, s.final_url as "finalUrl" ${from} where s.id = any($1::uuid[]) and s.user_id = $2 and s.expires_at > now()`,
    [ids, userId],
  );
  return new Map(rows.map((row) => [row.id, row]));
}

/** A capture's outputs that haven't expired, in request order. */
export async function listOutputs(database: Database, userId: string, captureId: string): Promise<HistoryEntry[]> {
  const { rows } = await database.query<HistoryEntry>(
    `select ${columns} ${from} where s.capture_id = $1 and s.user_id = $2 and s.expires_at > now() order by s.id`,
    [captureId, userId],
  );
  return rows;
}

/** Each capture's first output with a file, or its first output if none has a file, keyed by capture id. */
export async function firstOutputs(database: Database, userId: string, captureIds: string[]): Promise<Map<string, HistoryEntry>> {
  const { rows } = await database.query<HistoryEntry & { captureId: string }>(
    `select distinct on (s.capture_id) ${columns} ${from}
      where s.capture_id = any($1::uuid[]) and s.user_id = $2 and s.expires_at > now()
      order by s.capture_id, s.object_key is null, s.id`,
    [captureIds, userId],
  );
  return new Map(rows.map((row) => [row.captureId, row]));
}

/** The user's screenshots among `ids` that are no longer pending and haven't expired, with the fields needed to delete them. */
export async function deletableScreenshots(
  database: Database,
  userId: string,
  ids: string[],
): Promise<Pick<StoredScreenshot, "id" | "objectKey" | "cacheKey">[]> {
  const { rows } = await database.query<Pick<StoredScreenshot, "id" | "objectKey" | "cacheKey">>(
    `select id, object_key as "objectKey", cache_key as "cacheKey" from screenshots
      where user_id = $1 and id = any($2::uuid[]) and status <> 'pending' and expires_at > now()`,
    [userId, ids],
  );
  return rows;
}

/** Deletes the record unless it is pending. The caller must have deleted the image first. */
export async function forgetScreenshot(database: Database, userId: string, id: string): Promise<void> {
  await database.query("delete from screenshots where id = $1 and user_id = $2 and status <> 'pending'", [id, userId]);
}

export interface FailureCount {
  /** Error code as recorded; see `recordedCode` in shared/errors.ts. */
  code: string;
  lastHour: number;
  lastDay: number;
}

/** Most frequent first; reads an index that holds only failures. */
export async function recentFailures(database: Database): Promise<FailureCount[]> {
  const { rows } = await database.query<FailureCount>(
    `select error as code, count(*)::integer as "lastDay",
            (count(*) filter (where created_at > now() - interval '1 hour'))::integer as "lastHour"
       from screenshots
      where status = 'failed' and created_at > now() - interval '1 day' and error is not null
      group by error order by 2 desc, 1`,
  );
  return rows;
}
