/** API queries for the account's screenshots. */

import { queryOptions } from "@tanstack/react-query";
import { stringifySearch } from "../search.ts";
import { call } from "./client.ts";
import { pagesQuery } from "./pages.ts";
import type { Explanation, HistoryEntry } from "./types.ts";

export interface ScreenshotFilter {
  status?: string | undefined;
  key_id?: string | undefined;
  url?: string | undefined;
  format?: string | undefined;
  verdict?: string | undefined;
  since?: string | undefined;
  until?: string | undefined;
}

interface ScreenshotPage {
  screenshots: HistoryEntry[];
  next_cursor: string | null;
  /** Screenshots older than this have not been searched yet; null if the search is complete. */
  searched_to: string | null;
}

export const screenshotsQuery = (filter: ScreenshotFilter) =>
  pagesQuery<ScreenshotPage>(["screenshots", "list", filter], "/v1/account/screenshots", { limit: 24, ...filter });

export const screenshotCountQuery = (filter: ScreenshotFilter) =>
  queryOptions({
    queryKey: ["screenshots", "count", filter],
    queryFn: ({ signal }) =>
      call<{ count: number; is_complete: boolean }>(`/v1/account/screenshots/count${stringifySearch({ ...filter })}`, { signal }),
  });

/** For the search dialog. */
export const foundScreenshotsQuery = (text: string) =>
  queryOptions({
    queryKey: ["screenshots", "found", text],
    queryFn: async ({ signal }) =>
      (await call<ScreenshotPage>(`/v1/account/screenshots${stringifySearch({ limit: 6, text })}`, { signal })).screenshots,
  });

export const latestQuery = queryOptions({
  queryKey: ["screenshots", "latest"],
  queryFn: async ({ signal }) => (await call<ScreenshotPage>("/v1/account/screenshots?limit=18", { signal })).screenshots,
});

/** A screenshot, with the additional data shown on its page. */
export interface StoredScreenshot extends HistoryEntry {
  options: Record<string, unknown>;
  explanation: Explanation | null;
  link: string | null;
  /** All outputs of its capture, in the order of the request; empty if it is the only one. */
  outputs: HistoryEntry[];
  newer_id: string | null;
  older_id: string | null;
  target_status: number | null;
  /** The URL after redirects. */
  final_url: string | null;
  warnings: string[];
  /** Milliseconds of each phase. */
  timings: { queue: number; navigate: number; wait: number; shoot: number } | null;
}

/** @param filter the list's filter: `newer_id` and `older_id` are the screenshot's neighbors in that list. */
export const screenshotQuery = (id: string, filter: ScreenshotFilter) =>
  queryOptions({
    queryKey: ["screenshots", id, filter],
    queryFn: async ({ signal }) =>
      (await call<{ screenshot: StoredScreenshot }>(`/v1/account/screenshots/${id}${stringifySearch({ ...filter })}`, { signal }))
        .screenshot,
  });
