/** The simulation in docs/scaling.md, with the service's queue. */

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { quantile, simulate } from "../../scripts/simulation/fleet.ts";
import { coreHoursOfMillion, modelRows } from "../../scripts/simulation/model.ts";
import { fleetPlan, fleetRow } from "../../scripts/simulation/tables.ts";

/** The row's cells, without the formatter's padding. */
const cellsOf = (row: string) => row.split("|").map((cell) => cell.trim());

test("docs/scaling.md has the figures of the current queue and model", async () => {
  const page = await readFile("docs/scaling.md", "utf8");
  const prices = [...page.matchAll(/(\d+) c \+/g)].map(([, hours]) => Number(hours));
  assert.deepEqual(prices, [coreHoursOfMillion(false), coreHoursOfMillion(true)].map(Math.round));
  const rows = page.split("\n").map((line) => cellsOf(line).join("|"));
  for (const row of [...modelRows(), await fleetRow(1), await fleetRow(2)]) assert.ok(rows.includes(cellsOf(row).join("|")), row);
});

test("other accounts wait less than a greedy one, and every capture ends", async () => {
  const { captures, waits, othersThen, refused, greedyRefused, samples } = await simulate(fleetPlan(3, true));
  const ran = waits.others.length + waits.greedy.length;
  const { running = 0, queued = 0 } = samples.at(-1) ?? {};
  assert.ok(
    captures - ran - refused - greedyRefused <= running + queued + 12,
    "only those from the last minute are still running or queued",
  );
  assert.ok(waits.greedy.length > 100);
  for (const share of [0.5, 0.95]) assert.ok(quantile(othersThen, share) < quantile(waits.greedy, share), `${share}`);
});
