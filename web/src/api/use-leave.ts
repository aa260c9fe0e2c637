/** Leaves the signed-in pages once the session has ended at the user's own request. */

import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { accountQuery } from "./queries.ts";

/** Opens the sign-in page and clears all cached data. */
export function useLeave(): () => Promise<void> {
  const queries = useQueryClient();
  const navigate = useNavigate();
  return async () => {
    // Without an account, late responses that report the end of the session are ignored. They would navigate a second time.
    queries.removeQueries(accountQuery);
    await navigate({ to: "/sign-in" });
    queries.clear();
  };
}
