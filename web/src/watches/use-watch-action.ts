/** A change to a watch in one request, after which everything shown about it is refetched. */

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { call } from "../api/client.ts";
import { refresh } from "../api/refresh.ts";
import { watchesPath } from "../api/watch-queries.ts";
import { announce } from "../shell/announcer.tsx";

export interface WatchChange {
  method?: "POST" | "DELETE";
  /** Appended to the watch's path, such as `/pause`. */
  path: string;
  body?: object;
  /** Announced. */
  done: string;
}

/** Failures are announced as well. */
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
