/** API queries for watches: the list, one watch, its runs, one run. */

import { queryOptions } from "@tanstack/react-query";
import { call } from "./client.ts";
import { pagesQuery } from "./pages.ts";
import type { Watch, WatchRun } from "./types.ts";

export const watchesPath = "/v1/account/watches";

export interface WatchFilter {
  state?: string | undefined;
}

interface WatchPage {
  watches: Watch[];
  next_cursor: string | null;
}

const soonMs = 1_500;
const idleMs = 15_000;

/** A run in progress is polled frequently; otherwise the next change comes from the schedule or from a webhook's receiver. */
const pollFor = (watches: Watch[]): number => (watches.some((watch) => isOpen(watch.latest_run) || isDue(watch)) ? soonMs : idleMs);

const isDue = ({ next_run_at: at }: Watch): boolean => at !== null && Date.parse(at) < Date.now() + 5 * soonMs;

const isOpen = (run: WatchRun | null): boolean => run?.status === "queued" || run?.status === "running";

export const watchesQuery = (filter: WatchFilter) => ({
  ...pagesQuery<WatchPage>(["watches", "list", filter], watchesPath, { limit: 25, ...filter }, "before"),
  staleTime: 0,
  refetchInterval: ({ state }: { state: { data?: { pages: WatchPage[] } | undefined } }) =>
    pollFor(state.data?.pages.flatMap(({ watches }) => watches) ?? []),
});

/** The newest watches, for the search dialog. */
export const searchedWatchesQuery = queryOptions({
  queryKey: ["watches", "searched"],
  queryFn: async ({ signal }) => (await call<WatchPage>(`${watchesPath}?limit=100`, { signal })).watches,
});

export const watchQuery = (id: string) =>
  queryOptions({
    queryKey: ["watches", "one", id],
    queryFn: ({ signal }) => call<Watch>(`${watchesPath}/${id}`, { signal }),
    staleTime: 0,
    refetchInterval: ({ state: { data } }) => pollFor(data ? [data] : []),
  });

export interface RunFilter {
  status?: string | undefined;
}

interface RunPage {
  runs: WatchRun[];
  next_cursor: string | null;
}

/** Refetched by the watch's page when its latest run has changed. */
export const runsQuery = (watchId: string, filter: RunFilter) =>
  pagesQuery<RunPage>(["watches", "runs", watchId, filter], `${watchesPath}/${watchId}/runs`, { limit: 20, ...filter }, "before");

export const runQuery = (watchId: string, id: string) =>
  queryOptions({
    queryKey: ["watches", "run", watchId, id],
    queryFn: ({ signal }) => call<WatchRun>(`${watchesPath}/${watchId}/runs/${id}`, { signal }),
    refetchInterval: ({ state: { data } }) => (isOpen(data ?? null) ? soonMs : false),
  });
