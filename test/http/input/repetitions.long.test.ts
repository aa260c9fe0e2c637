/** Expensive texts in every field of every route: all of them at 60 KB, and a fifth of them at 4 MB in fields that may be that long. */

import { test } from "node:test";
import { fileScope } from "../../support/scope.ts";
import { sendRepetitions, startRepetitions } from "./repetitions-run.ts";

const running = await startRepetitions(fileScope());
const timeout = 30 * 60_000;

test("no request of 60 KB blocks the event loop for more than 100 ms", { timeout }, async (t) => {
  await sendRepetitions(t, running, { bytes: 60_000, every: 1 });
});

test("no request of 4 MB blocks the event loop for more than 100 ms", { timeout }, async (t) => {
  await sendRepetitions(t, running, { bytes: 4_000_000, isLarge: true, every: 5 });
});
