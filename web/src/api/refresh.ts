/** Refetches whatever a change has made outdated. */

import type { QueryClient } from "@tanstack/react-query";

/** Also aborts requests in flight, such as a preload: their responses may be older than the change. */
export async function refresh(queries: QueryClient, ...names: string[]): Promise<void> {
  await Promise.all(names.map((name) => queries.cancelQueries({ queryKey: [name] })));
  await Promise.all(names.map((name) => queries.invalidateQueries({ queryKey: [name] })));
}
