/** API queries of page sessions. */

import { queryOptions } from "@tanstack/react-query";
import { call } from "./client.ts";
import { pagesQuery } from "./pages.ts";
import type { PageSession } from "./types.ts";

interface SessionPage {
  sessions: PageSession[];
  next_cursor: string | null;
}

export const pageSessionsQuery = {
  ...pagesQuery<SessionPage>(["page-sessions", "list"], "/v1/account/page-sessions", { limit: 50 }),
  staleTime: 0, // captures use and update them
};

/** The newest sessions, for the search dialog. */
export const searchedSessionsQuery = queryOptions({
  queryKey: ["page-sessions", "searched"],
  queryFn: async ({ signal }) => (await call<SessionPage>("/v1/account/page-sessions?limit=100", { signal })).sessions,
});
