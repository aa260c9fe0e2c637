/** A run's results: on the terminal, as JSON, as the document's figures. */

import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { root } from "../../scripts/stack/folders.ts";
import { type Machine, machineWords } from "../machine.ts";
import type { SectionResult } from "../sections/section.ts";
import { withFigures } from "./document.ts";
import { barChart } from "./svg.ts";
import { asMarkdown, asText } from "./table.ts";

export interface Results {
  machine: Machine;
  run: { quick: boolean; rounds: number; pages: string[]; seconds: number };
  sections: Record<string, SectionResult & { seconds: number }>;
}

export function sectionWords(name: string, { tables, flaws, seconds }: SectionResult & { seconds: number }): string {
  const wrong = flaws.length === 0 ? "Nothing went wrong." : `What went wrong:\n  ${flaws.join("\n  ")}`;
  return [`\n━━ ${name} (${seconds.toFixed(0)} s) ━━`, ...tables.map(asText), wrong].join("\n\n");
}

export function closingWords({ machine, run }: Results): string {
  const quick = run.quick ? "\nA quick run: it shows that everything works; its figures are rough." : "";
  return `\n${machineWords(machine)}\n${roundWords(run.rounds)}, ${run.seconds.toFixed(0)} s in all.${quick}`;
}

export async function readResults(file: string): Promise<Results> {
  return JSON.parse(await readFile(file, "utf8")) as Results;
}

/** Writes the figures into `docs/benchmark.md`, and the bars beside it. */
export async function writeDocs(results: Results): Promise<void> {
  const charts = Object.values(results.sections).flatMap((section) => section.charts);
  const picture = charts.length === 0 ? [] : ["![The charts of the tables below](benchmark.svg)"];
  if (charts.length > 0) await writeFile(join(root, "docs/benchmark.svg"), barChart(charts));
  const { machine, run } = results;
  const sections = Object.entries(results.sections).flatMap(([name, { tables, flaws, seconds }]) => [
    `### ${name}`,
    `Took ${seconds.toFixed(0)} s. ${flaws.length === 0 ? "Nothing went wrong." : `What went wrong: ${flaws.map(oneLine).join("; ")}.`}`,
    ...tables.map(asMarkdown),
  ]);
  const words = `${machineWords(machine)}${run.quick ? " A quick run: rough figures." : ""} ${roundWords(run.rounds)}, ${Math.round(run.seconds / 60)} minutes.`;
  const file = join(root, "docs/benchmark.md");
  await writeFile(file, withFigures(await readFile(file, "utf8"), [words, ...picture, ...sections].join("\n\n")));
}

function oneLine(words: string): string {
  return words.replaceAll(/\s+/g, " ").replaceAll("|", "/").replaceAll("<", "&lt;");
}

function roundWords(rounds: number): string {
  return rounds === 1 ? "1 round" : `${rounds} rounds`;
}
