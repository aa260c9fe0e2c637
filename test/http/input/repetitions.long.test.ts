/** Expensive texts in every field of every route: all of them at 60 KB, and a fifth of them at 4 MB in fields that may be that long. */

import { test } from "node:test";
import { fileScope } from "../../support/scope.ts";
import { sendRepetitions, startRepetitions } from "./repetitions-run.ts";

const running = await startRepetitions(fileScope());
const timeout = 20 * 60_000;
/** In parts, so that each reports its progress. */
const parts = 8;

for (let part = 0; part < parts; part += 1)
  test(`no request of 60 KB blocks the event loop for more than 100 ms: part ${part + 1} of ${parts}`, { timeout }, async (t) => {
    await sendRepetitions(t, running, { bytes: 60_000, every: parts, part });
  });

for (const [half, part] of [
  ["first", 0],
  ["second", 5],
] as const)
  test(`no request of 4 MB blocks the event loop for more than 100 ms: ${half} half`, { timeout }, async (t) => {
    await sendRepetitions(t, running, { bytes: 4_000_000, isLarge: true, every: 10, part });
  });
