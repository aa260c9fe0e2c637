/** Counts the requests that Node's HTTP servers in this process parse, whether or not a handler sees them. */

import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { Scope } from "./scope.ts";

const channel = "http.server.request.start";

/** @returns the number of requests since this call. */
export function countParsedRequests(scope: Scope): () => number {
  let count = 0;
  const onRequest = () => {
    count += 1;
  };
  subscribe(channel, onRequest);
  scope.after(() => unsubscribe(channel, onRequest));
  return () => count;
}
