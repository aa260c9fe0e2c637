/** Once a capture has ended, nothing of it goes on in the service. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { eventually } from "../support/eventually.ts";
import { startService } from "../support/service.ts";

test("what still waits for a page rejects once its capture has ended", async (t) => {
  const { services } = await startService(t);
  const waits: Promise<unknown>[] = [];
  await services.slots.withTab({ account: "test", signal: AbortSignal.timeout(60_000) }, async (tab) => {
    const poll = async () => {
      for (;;) await tab.within(50, new Promise(() => {}));
    };
    waits.push(
      poll(),
      tab.pause(300_000),
      tab.waitFor(() => new Promise(() => {})),
    );
  });
  const outcomes: string[] = [];
  for (const wait of waits) wait.catch((error) => outcomes.push(String(error)));
  await eventually("all waits have ended", () => outcomes.length === waits.length);
  assert.ok(
    outcomes.every((outcome) => outcome.includes("has ended")),
    outcomes.join("\n"),
  );
});
