/** API queries for batches: the list, one batch with its progress, its captures. */

import { queryOptions } from "@tanstack/react-query";
import { call } from "./client.ts";
import { pagesQuery } from "./pages.ts";
import type { AccountBatch, BatchCapture } from "./types.ts";

export interface BatchFilter {
  status?: string | undefined;
}

interface BatchPage {
  batches: AccountBatch[];
  next_cursor: string | null;
}

const pollMs = 1_500;

const pollWhileRunning = (batches: AccountBatch[]): number | false => (batches.some(({ status }) => status === "running") ? pollMs : false);

export const batchesQuery = (filter: BatchFilter) => ({
  ...pagesQuery<BatchPage>(["batches", "list", filter], "/v1/account/batches", { limit: 25, ...filter }),
  staleTime: 0, // changes whenever a capture ends
  refetchInterval: ({ state }: { state: { data?: { pages: BatchPage[] } | undefined } }) =>
    pollWhileRunning(state.data?.pages.flatMap(({ batches }) => batches) ?? []),
});

/** The newest batches, for the search dialog. */
export const searchedBatchesQuery = queryOptions({
  queryKey: ["batches", "searched"],
  queryFn: async ({ signal }) => (await call<BatchPage>("/v1/account/batches?limit=100", { signal })).batches,
});

export const batchQuery = (id: string) =>
  queryOptions({
    queryKey: ["batches", "one", id],
    queryFn: async ({ signal }) => (await call<{ batch: AccountBatch }>(`/v1/account/batches/${id}`, { signal })).batch,
    staleTime: 0,
    refetchInterval: ({ state: { data } }) => pollWhileRunning(data ? [data] : []),
  });

interface CapturePage {
  captures: BatchCapture[];
  next_cursor: string | null;
}

/** Refetched by the batch's page when its counts have changed. */
export const batchCapturesQuery = (id: string, filter: BatchFilter) =>
  pagesQuery<CapturePage>(["batches", "captures", id, filter], `/v1/account/batches/${id}/captures`, { limit: 24, ...filter });
