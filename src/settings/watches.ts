/** Settings for watches. */

import { integer } from "./types.ts";

export const watchSettings = {
  WATCH_INTERVAL_MIN_SECONDS: integer(1, 86_400).default(300).meta({
    unit: "seconds",
    description: "Shortest interval at which a page can be watched.",
  }),
  MAX_WATCHES: integer(0, 100_000).default(1_000).meta({ description: "Maximum number of watches per account." }),
};
