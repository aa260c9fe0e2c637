/** Keeps what was read, and notices when the session is over. */

import { MutationCache, QueryCache, QueryClient } from "@tanstack/react-query";
import { ApiError } from "./client.ts";

/** @param onSignedOut called when an answer says so, once for each time that one was signed in. */
export function createQueries(onSignedOut: () => void): QueryClient {
  const look = (error: Error) => {
    // The guard of the pages asks for the account itself and redirects.
    if (!(error instanceof ApiError) || error.code !== "not_signed_in" || queries.getQueryData(["account"]) === undefined) return;
    queries.clear();
    onSignedOut();
  };
  const queries = new QueryClient({
    queryCache: new QueryCache({ onError: look }),
    mutationCache: new MutationCache({ onError: look }),
    defaultOptions: {
      queries: {
        staleTime: 5_000,
        retry: (failures, error) => failures < 2 && !(error instanceof ApiError && error.status >= 400 && error.status < 500),
      },
      mutations: { networkMode: "always" },
    },
  });
  return queries;
}
