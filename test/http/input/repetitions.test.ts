/** 60 KB texts designed to be expensive, in every field of every route; repetitions.long.test.ts sends megabytes. */

import { test } from "node:test";
import { fileScope } from "../../support/scope.ts";
import { sendRepetitions, startRepetitions } from "./repetitions-run.ts";

const running = await startRepetitions(fileScope());

test("no request of 60 KB blocks the event loop for more than 100 ms", async (t) => {
  await sendRepetitions(t, running, { bytes: 60_000, every: 200 });
});
