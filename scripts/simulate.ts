/**
 * `npm run simulate`: simulates a day of captures on 1 to 200 workers, with the service's real queue on a virtual clock. Writes the figures
 * and the plot of docs/scaling.md. Deterministic.
 */

import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { simulate } from "./simulation/fleet.ts";
import { modelHead, modelRows } from "./simulation/model.ts";
import { plotDays } from "./simulation/plot.ts";
import { fleetHead, fleetRow, scaledHead, scaledPlan, scaledRow, slots, wholeHourMs } from "./simulation/tables.ts";
import { runCommand } from "./stack/command.ts";
import { root } from "./stack/folders.ts";
import { interruption } from "./stack/interrupt.ts";

const fleets = [1, 2, 5, 10, 20, 50, 100, 200];
const page = join(root, "docs/scaling.md");

await runCommand(main, interruption());

async function main(args: string[]): Promise<number> {
  if (args.length > 0) throw new Error("Usage: npm run simulate");
  const rows: string[] = [];
  for (const workers of fleets) {
    rows.push(await fleetRow(workers));
    console.log(rows.at(-1));
  }
  const [steady, steadyQueued] = [await simulate(scaledPlan("queued + running", false)), await simulate(scaledPlan("queued", false))];
  const [bursts, burstsQueued] = [await simulate(scaledPlan("queued + running", true)), await simulate(scaledPlan("queued", true))];
  const scaled = [
    scaledRow("queued + running, no bursts", steady),
    scaledRow("queued alone, no bursts", steadyQueued),
    scaledRow("queued + running, bursts", bursts),
    scaledRow("queued alone, bursts", burstsQueued),
  ];
  for (const row of scaled) console.log(row);
  const days = [
    { title: "Scaled by queued + running captures, as the chart does; no bursts", outcome: steady },
    { title: "Scaled by queued captures alone; no bursts", outcome: steadyQueued },
    { title: "Scaled by queued + running captures; bursts", outcome: bursts },
  ];
  await writeFile(join(root, "docs/scaling.svg"), plotDays(days, slots, wholeHourMs));
  await writeBetween("model", [...modelHead, ...modelRows()]);
  await writeBetween("fleets", [...fleetHead, ...rows]);
  await writeBetween("autoscaling", [...scaledHead, ...scaled]);
  return 0;
}

/** Replaces the section between the marker comments for `name` on the page. */
async function writeBetween(name: string, lines: string[]): Promise<void> {
  const text = await readFile(page, "utf8");
  const [begin, end] = [`<!-- ${name}: begin -->`, `<!-- ${name}: end -->`];
  const [before = "", rest] = text.split(begin);
  const after = rest?.split(end)[1];
  if (after === undefined) throw new Error(`${page} has no section for ${name}`);
  await writeFile(page, `${before}${begin}\n\n${lines.join("\n")}\n\n${end}${after}`);
}
