/** A run's results on the terminal, as JSON, and in docs/benchmark.md. */

import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { root } from "../../scripts/stack/folders.ts";
import { formatMachine, type Machine } from "../machine.ts";
import type { SectionResult } from "../sections/section.ts";
import { withFigures } from "./document.ts";
import { barChart } from "./svg.ts";
import { asMarkdown, asText } from "./table.ts";

export interface Results {
  machine: Machine;
  run: { quick: boolean; rounds: number; pages: string[]; seconds: number };
  sections: Record<string, SectionResult & { seconds: number }>;
}

export function describeSection(name: string, { tables, flaws, seconds }: SectionResult & { seconds: number }): string {
  const failures = flaws.length === 0 ? "No failures." : `Failures:\n  ${flaws.join("\n  ")}`;
  return [`\n━━ ${name} (${seconds.toFixed(0)} s) ━━`, ...tables.map(asText), failures].join("\n\n");
}

export function describeRun({ machine, run }: Results): string {
  const quick = run.quick ? "\nA quick run: it checks that everything works, but the figures are rough." : "";
  return `\n${formatMachine(machine)}\n${describeRounds(run.rounds)}, ${run.seconds.toFixed(0)} s in total.${quick}`;
}

export async function readResults(file: string): Promise<Results> {
  return JSON.parse(await readFile(file, "utf8")) as Results;
}

/** Writes the figures to `docs/benchmark.md`, and the charts next to it. */
export async function writeDocs(results: Results): Promise<void> {
  const charts = Object.values(results.sections).flatMap((section) => section.charts);
  const image = charts.length === 0 ? [] : ["![Charts of the tables below](benchmark.svg)"];
  if (charts.length > 0) await writeFile(join(root, "docs/benchmark.svg"), barChart(charts));
  const { machine, run } = results;
  const sections = Object.entries(results.sections).flatMap(([name, { tables, flaws, seconds }]) => [
    `### ${name}`,
    `Took ${seconds.toFixed(0)} s. ${flaws.length === 0 ? "No failures." : `Failures: ${flaws.map(oneLine).join("; ")}.`}`,
    ...tables.map(asMarkdown),
  ]);
  const summary = `${formatMachine(machine)}${run.quick ? " A quick run: rough figures." : ""} ${describeRounds(run.rounds)}, ${Math.round(run.seconds / 60)} minutes.`;
  const file = join(root, "docs/benchmark.md");
  await writeFile(file, withFigures(await readFile(file, "utf8"), [summary, ...image, ...sections].join("\n\n")));
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").replaceAll("|", "/").replaceAll("<", "&lt;");
}

function describeRounds(rounds: number): string {
  return rounds === 1 ? "1 round" : `${rounds} rounds`;
}
