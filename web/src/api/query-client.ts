/** The query cache; detects the end of the session. */

import { MutationCache, QueryCache, QueryClient } from "@tanstack/react-query";
import { ApiError } from "./client.ts";

/** @param onSignedOut called once per session, when a response reports that it has ended. */
export function createQueries(onSignedOut: () => void): QueryClient {
  const detectSignOut = (error: Error) => {
    // Before the account is loaded, the router's guard redirects.
    if (!(error instanceof ApiError) || error.code !== "not_signed_in" || queries.getQueryData(["account"]) === undefined) return;
    queries.clear();
    onSignedOut();
  };
  const queries = new QueryClient({
    queryCache: new QueryCache({ onError: detectSignOut }),
    mutationCache: new MutationCache({ onError: detectSignOut }),
    defaultOptions: {
      queries: {
        networkMode: "always", // by default, queries wait indefinitely while the browser is offline
        staleTime: 5_000,
        retry: (failures, error) =>
          failures < 2 && navigator.onLine && !(error instanceof ApiError && error.status >= 400 && error.status < 500),
      },
      mutations: { networkMode: "always" },
    },
  });
  return queries;
}
