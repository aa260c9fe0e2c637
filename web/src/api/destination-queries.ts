/** API queries of destinations. */

import { queryOptions } from "@tanstack/react-query";
import { call } from "./client.ts";
import type { Destination } from "./types.ts";

export const destinationsQuery = queryOptions({
  queryKey: ["destinations"],
  queryFn: async ({ signal }) => (await call<{ destinations: Destination[] }>("/v1/account/destinations", { signal })).destinations,
  staleTime: 0, // copies change their state
});
