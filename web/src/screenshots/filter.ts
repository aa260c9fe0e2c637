/** The filters of the list of screenshots in a query string. */

import type { ScreenshotFilter } from "../api/screenshot-queries.ts";

const names = ["status", "key_id", "url", "format", "verdict", "since", "until"] as const;

/** Other names are dropped. */
export function readFilter(search: object): ScreenshotFilter {
  return Object.fromEntries(
    Object.entries(search).filter(([name, value]) => (names as readonly string[]).includes(name) && typeof value === "string"),
  );
}
