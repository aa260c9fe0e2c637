/** Two floods from floods.long.test.ts: one that used to block the event loop for seconds, and the one with the largest messages. */

import assert from "node:assert/strict";
import { before, test } from "node:test";
import { fileScope } from "../support/scope.ts";
import { assertHarmless, type FloodedService, startFloodedService } from "./measure.ts";
import { floods } from "./pages.ts";

const scope = fileScope();
let service: FloodedService;
before(async () => {
  service = await startFloodedService(scope);
});

for (const name of ["fetch: names that don't resolve", "URLs of a megabyte"]) {
  test(`/health/live responds during a flood, and no protocol event blocks the event loop: ${name}`, async () => {
    const flood = floods.find((one) => one.name === name);
    assert.ok(flood);
    assertHarmless(await service.measure(flood));
  });
}
