/** Expensive texts in every field of every route: all of them at 60 KB; at 4 MB, some in each field that may be that long. */

import { test } from "node:test";
import { fileScope } from "../../support/scope.ts";
import { sendRepetitions, startRepetitions } from "./repetitions-run.ts";

const running = await startRepetitions(fileScope());
/** Several times what a part takes on a quiet machine. */
const timeout = 20 * 60_000;

/** In parts, so that each reports its progress. */
for (const [size, run, parts] of [
  ["60 KB", { bytes: 60_000 }, 8],
  ["4 MB", { bytes: 4_000_000, isLarge: true }, 4],
] as const)
  for (let part = 0; part < parts; part += 1)
    test(`no request of ${size} blocks the event loop for more than 100 ms: part ${part + 1} of ${parts}`, { timeout }, async (t) => {
      await sendRepetitions(t, running, { ...run, every: parts, part });
    });
