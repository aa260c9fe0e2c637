/**
 * Pages that cause as much work for the service as possible. Prints their effect on other callers: the latency of `/health/live`,
 * requested at a fixed rate, and the delay of the service's event loop. On a quiet machine, `/health/live` stays below 50 ms at p95.
 */

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { fileScope } from "../support/scope.ts";
import { assertHarmless, type FloodedService, startFloodedService } from "./measure.ts";
import { floods } from "./pages.ts";

const scope = fileScope();
let service: FloodedService;
const rows: string[][] = [];

before(async () => {
  service = await startFloodedService(scope);
});

after(() => {
  const head = ["flood", "ends in", "after s", "late", "live p50", "p95", "max", "delay p95", "max", "turn p95", "max", "CPU", "probe p95"];
  console.log("\nMilliseconds, except for `after`. `late`: past the capture's deadline; `delay`: of the service's event loop; `turn`: CPU");
  console.log("time of its main thread per turn, `CPU`: in total; `probe`: delay of the test's own event loop.");
  for (const [name = "", end = "", ...cells] of [head, ...rows])
    console.log(name.padEnd(48) + end.padEnd(16) + cells.map((cell) => cell.padStart(10)).join(""));
});

for (const flood of floods) {
  test(`a flood ends by its deadline and does not block the service: ${flood.name}`, async () => {
    const measured = await service.measure(flood);
    const { end, seconds, lateMs, live, loop, probeDelayMs } = measured;
    const { delay, turn, cpu } = loop;
    const figures = [lateMs, live.p50, live.p95, live.max, delay.p95, delay.max, turn.p95, turn.max, cpu, probeDelayMs];
    rows.push([flood.name, end, seconds.toFixed(1), ...figures.map((ms) => ms.toFixed(0))]);
    assertHarmless(measured);
  });
}

for (const name of ["fetch: names that don't resolve", "fetch: own site, new URLs"]) {
  test(`an endless flood ends with page_too_heavy: ${name}`, async () => {
    const flood = floods.find((one) => one.name === name);
    assert.ok(flood);
    const response = await service.capture(flood, { timeout: "90", wait_until_timeout: "30", delay: "30" });
    assert.equal(((await response.json()) as { code: string }).code, "page_too_heavy");
  });
}
