/** Run records: queued -> running -> learning | unchanged | changed | failed. A queued run's capture is waiting or in progress. */

import type { Comparison } from "../comparison/comparison.ts";
import { type Database, jsonbText, type Queries } from "../database/database.ts";

export const runStatuses = ["queued", "running", "learning", "unchanged", "changed", "failed"] as const;
export type RunStatus = (typeof runStatuses)[number];

export interface Run {
  /** UUIDv7, shared with its capture. */
  id: string;
  status: RunStatus;
  /** False if its capture was refused. */
  isCaptured: boolean;
  /** Null if the image is not stored. `bytes`: size of its file; null if unknown. */
  screenshot: { id: string; width: number; height: number; bytes: number | null } | null;
  comparedWithId: string | null;
  changedShare: number | null;
  regions: Comparison["regions"];
  regionsTotal: number;
  /** Whether the run was reported, as a change or a failure. */
  isReported: boolean;
  acceptedAt: Date | null;
  errorCode: string | null;
  errorMessage: string | null;
  createdAt: Date;
  endedAt: Date | null;
}

/** Maximum number of regions per run in lists. */
const regionsListed = 3;

const imageColumn = "jsonb_build_object('id', s.id, 'width', s.width, 'height', s.height, 'bytes', s.bytes)";
const shownStatus = "case when r.status = 'queued' and c.status = 'running' then 'running' else r.status end";
const columns = (regions: string) => `r.id, ${shownStatus} as status,
  r.is_captured as "isCaptured",
  case when s.id is not null then ${imageColumn} end as screenshot,
  r.compared_with_id as "comparedWithId", (r.comparison ->> 'changedShare')::float as "changedShare", ${regions} as regions,
  coalesce(jsonb_array_length(r.comparison -> 'regions'), 0) as "regionsTotal", r.is_reported as "isReported", r.accepted_at as "acceptedAt",
  r.error_code as "errorCode", r.error_message as "errorMessage", r.created_at as "createdAt", r.ended_at as "endedAt"`;
const from = `from watch_runs r
  left join captures c on c.id = r.id
  left join screenshots s on s.id = r.screenshot_id and s.object_key is not null and s.expires_at > now()`;
const someRegions = `coalesce(jsonb_path_query_array(r.comparison -> 'regions', '$[0 to ${regionsListed - 1}]'), '[]')`;
const allRegions = "coalesce(r.comparison -> 'regions', '[]')";

export interface RunFilter {
  limit: number;
  /** Cursor: only runs older than the run with this id. */
  before?: string | undefined;
  status?: RunStatus | undefined;
  /** Whether to list only reported runs. */
  reported?: boolean;
}

/** Newest first, each with its first three regions. */
export async function listRuns(database: Database, watchId: string, { limit, before, status, reported }: RunFilter): Promise<Run[]> {
  const { rows } = await database.query<Run>(
    `select ${columns(someRegions)} ${from}
      where r.watch_id = $1 and ($2::uuid is null or r.id < $2) and ($3::text is null or ${shownStatus} = $3) and (not $4 or r.is_reported)
      order by r.id desc limit $5`,
    [watchId, before ?? null, status ?? null, reported ?? false, limit],
  );
  return rows;
}

/** Includes all regions, at most 100. */
export async function findRun(database: Queries, watchId: string, id: string): Promise<Run | undefined> {
  const { rows } = await database.query<Run>(`select ${columns(allRegions)} ${from} where r.watch_id = $1 and r.id = $2`, [watchId, id]);
  return rows[0];
}

export interface RecentRuns {
  watchId: string;
  latest: Run;
  /** Image of the latest run that has one. */
  image: Run["screenshot"];
  /** Newest first, at most 30. */
  recent: { id: string; status: RunStatus; at: Date }[];
}

const recentMax = 30;

/** The watches' recent runs, keyed by watch id. Omits watches that have never run. */
export async function recentRuns(database: Database, watchIds: string[]): Promise<Map<string, RecentRuns>> {
  const { rows: latest } = await database.query<Run & { watchId: string; image: Run["screenshot"] }>(
    `select given.id as "watchId", newest.*, (select ${imageColumn} ${from} where r.watch_id = given.id and s.id is not null order by r.id desc limit 1) as image
       from unnest($1::uuid[]) as given (id)
      cross join lateral (select ${columns(someRegions)} ${from} where r.watch_id = given.id order by r.id desc limit 1) newest`,
    [watchIds],
  );
  const { rows: strip } = await database.query<{ watchId: string; id: string; status: RunStatus; at: Date }>(
    `select given.id as "watchId", newest.* from unnest($1::uuid[]) as given (id)
      cross join lateral (select r.id, r.status, r.created_at as at from watch_runs r where r.watch_id = given.id order by r.id desc limit $2) newest
      order by newest.id desc`,
    [watchIds, recentMax],
  );
  const byWatch = Map.groupBy(strip, ({ watchId }) => watchId);
  return new Map(
    latest.map(({ watchId, image, ...run }) => [
      watchId,
      { watchId, latest: run, image, recent: (byWatch.get(watchId) ?? []).map(({ id, status, at }) => ({ id, status, at })) },
    ]),
  );
}

/** Id of the watch's unfinished run, if any. */
export async function openRun(queries: Queries, watchId: string): Promise<string | undefined> {
  const { rows } = await queries.query<{ id: string }>(
    "select id from watch_runs where watch_id = $1 and status in ('queued', 'running')",
    [watchId],
  );
  return rows[0]?.id;
}

/** @param transaction also queues the capture. @param isCaptured false if the capture was refused; the caller then ends the run. */
export async function addRun(transaction: Queries, watchId: string, id: string, isCaptured = true): Promise<void> {
  await transaction.query("insert into watch_runs (id, watch_id, status, is_captured) values ($1, $2, $3, $4)", [
    id,
    watchId,
    isCaptured ? "queued" : "running",
    isCaptured,
  ]);
}

/** Deletes the watch's unfinished run, if any. */
export async function removeOpenRun(transaction: Queries, watchId: string): Promise<void> {
  await transaction.query("delete from watch_runs where watch_id = $1 and status in ('queued', 'running')", [watchId]);
}

/**
 * Claims up to 100 runs whose capture has ended or no longer exists; each is claimed by only one caller.
 * @param transaction must also queue the runs' comparisons.
 */
export async function takeCaptured(transaction: Queries): Promise<{ id: string; userId: string }[]> {
  const { rows } = await transaction.query<{ id: string; userId: string }>(
    `with ended as (
       select r.id from watch_runs r left join captures c on c.id = r.id
        where r.status = 'queued' and (c.id is null or c.ended_at is not null)
        order by r.id limit 100 for update of r skip locked
     )
     update watch_runs r set status = 'running', captured_at = now() from ended, watches w
      where r.id = ended.id and w.id = r.watch_id
     returning r.id, w.user_id as "userId"`,
  );
  return rows;
}

/** A run to compare; undefined if it has ended or its watch was deleted. */
export async function findCaptured(
  database: Database,
  id: string,
): Promise<{ watchId: string; userId: string; capturedAt: Date } | undefined> {
  const { rows } = await database.query<{ watchId: string; userId: string; capturedAt: Date }>(
    `select r.watch_id as "watchId", w.user_id as "userId", r.captured_at as "capturedAt"
       from watch_runs r join watches w on w.id = r.watch_id where r.id = $1 and r.status = 'running'`,
    [id],
  );
  return rows[0];
}

export interface EndedRun {
  status: Exclude<RunStatus, "queued" | "running">;
  screenshotId?: string | undefined;
  comparedWithId?: string | undefined;
  comparison?: Comparison | undefined;
  isReported: boolean;
  isAccepted: boolean;
  error?: { code: string; message: string } | undefined;
}

/** Ends a run. Returns false if it has already ended. */
export async function endRun(transaction: Queries, id: string, ended: EndedRun): Promise<boolean> {
  const { status, screenshotId, comparedWithId, comparison, isReported, isAccepted, error } = ended;
  const { rowCount } = await transaction.query(
    `update watch_runs set status = $2, screenshot_id = $3, compared_with_id = $4, comparison = $5::jsonb, is_reported = $6,
            accepted_at = case when $7 then clock_timestamp() end, error_code = $8, error_message = $9, ended_at = clock_timestamp()
      where id = $1 and status = 'running'`,
    [
      id,
      status,
      screenshotId ?? null,
      comparedWithId ?? null,
      comparison ? jsonbText(comparison) : null,
      isReported,
      isAccepted,
      error?.code ?? null,
      error?.message ?? null,
    ],
  );
  return rowCount === 1;
}

export async function markAccepted(transaction: Queries, id: string): Promise<void> {
  await transaction.query("update watch_runs set accepted_at = coalesce(accepted_at, now()) where id = $1", [id]);
}

/** The run's comparison with the baseline, if there was one. */
export async function findComparison(database: Database, watchId: string, id: string): Promise<Comparison | undefined> {
  const { rows } = await database.query<{ comparison: Comparison | null }>(
    "select comparison from watch_runs where watch_id = $1 and id = $2",
    [watchId, id],
  );
  return rows[0]?.comparison ?? undefined;
}
