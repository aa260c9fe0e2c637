/** What a section of the benchmark is given and what it hands back. */

import type { Place, RunningContender } from "../contenders.ts";
import type { Reference } from "../measure/references.ts";
import type { Bars, Table } from "../report/figures.ts";
import type { BenchPage } from "../site/pages.ts";
import type { Site } from "../site.ts";

export interface SectionResult {
  tables: Table[];
  charts: Bars[];
  /** Every measurement, for whoever wants to calculate anew. */
  data: unknown;
  /** Failed captures and wrong pictures: "browserless, gallery: blank ×3". */
  flaws: string[];
}

export interface Plan {
  quick: boolean;
  /** How often everybody has a turn. */
  rounds: number;
  /** How long one turn is, in milliseconds. */
  sliceMs: number;
  timedPages: BenchPage[];
  comparedPages: BenchPage[];
}

export interface Bench {
  plan: Plan;
  place: Place;
  site: Site;
  /** Everybody, started when first asked for. */
  everybody(): Promise<RunningContender[]>;
  /** Ends them, for sections that measure each alone. */
  nobody(): Promise<void>;
  references(): Promise<Map<string, Reference>>;
  say(words: string): void;
}

export type Section = (bench: Bench) => Promise<SectionResult>;

/** Where one page must do: the blog, unless it was left out. */
export function onePage({ timedPages }: Plan): string {
  return (timedPages.find(({ name }) => name === "blog") ?? timedPages[0])?.name ?? "simple";
}

/** Tintype at its defaults. */
export async function tintypeOf(bench: Bench): Promise<RunningContender> {
  const tintype = (await bench.everybody()).find(({ name }) => name === "tintype");
  if (!tintype) throw new Error("unreachable: Tintype is always there");
  return tintype;
}
