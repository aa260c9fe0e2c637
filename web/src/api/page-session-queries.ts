/** API queries of page sessions. */

import { pagesQuery } from "./pages.ts";
import type { PageSession } from "./types.ts";

interface SessionPage {
  sessions: PageSession[];
  next_cursor: string | null;
}

export const pageSessionsQuery = {
  ...pagesQuery<SessionPage>(["page-sessions"], "/v1/account/page-sessions", { limit: 50 }),
  staleTime: 0, // captures use and update them
};
