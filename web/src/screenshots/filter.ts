/** The filters of the list of screenshots, from the query string. */

import type { ScreenshotFilter } from "../api/screenshot-queries.ts";
import { pickTexts } from "../search.ts";

export const readFilter = (search: object): ScreenshotFilter =>
  pickTexts(search, ["status", "key_id", "url", "format", "verdict", "since", "until"]);
