/** Lists that the API returns in pages, each with a cursor to the next. */

import { infiniteQueryOptions } from "@tanstack/react-query";
import { stringifySearch } from "../search.ts";
import { call } from "./client.ts";

/** @param search the list's filters, and the page size. */
export const pagesQuery = <Page extends { next_cursor: string | null }>(
  queryKey: unknown[],
  path: string,
  search: { limit: number; [name: string]: unknown },
  /** Name of the cursor parameter. */
  cursorName: "cursor" | "before" = "cursor",
) =>
  infiniteQueryOptions({
    queryKey,
    queryFn: ({ signal, pageParam }) => call<Page>(`${path}${stringifySearch({ ...search, [cursorName]: pageParam })}`, { signal }),
    initialPageParam: "",
    getNextPageParam: (page) => page.next_cursor,
  });
