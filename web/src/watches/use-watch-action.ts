/** A change of a watch by one request, after which all that is shown of it is fetched again. */

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { call } from "../api/client.ts";
import { refresh } from "../api/refresh.ts";
import { watchesPath } from "../api/watch-queries.ts";
import { announce } from "../shell/announcer.tsx";

export interface WatchChange {
  method?: "POST" | "DELETE";
  /** Behind the watch's own, such as `/pause`. */
  path: string;
  body?: object;
  /** Announced. */
  done: string;
}

/** Announces a failure, too. */
export function useWatchAction(id: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: ({ method = "POST", path, body }: WatchChange) => call(`${watchesPath}/${id}${path}`, { method, body }),
    onSuccess: async (_answer, { done }) => {
      announce(done);
      await refresh(queries, "watches");
    },
    onError: ({ message }) => announce(message),
  });
}
