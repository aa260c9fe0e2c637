/** Input and output of a section of the benchmark. */

import type { Place, RunningContender } from "../contenders.ts";
import type { Reference } from "../measure/references.ts";
import type { Bars, Table } from "../report/figures.ts";
import type { BenchPage } from "../site/pages.ts";
import type { Site } from "../site.ts";

export interface SectionResult {
  tables: Table[];
  charts: Bars[];
  /** Every measurement. */
  data: unknown;
  /** Failed captures and wrong images: "browserless, gallery: blank ×3". */
  flaws: string[];
}

export interface Plan {
  quick: boolean;
  /** Number of turns of each contender. */
  rounds: number;
  /** Length of a turn in milliseconds. */
  sliceMs: number;
  timedPages: BenchPage[];
  comparedPages: BenchPage[];
}

export interface Bench {
  plan: Plan;
  place: Place;
  site: Site;
  /** All contenders, started on the first call. */
  allContenders(): Promise<RunningContender[]>;
  /** Stops them, for sections that measure each alone. */
  stopContenders(): Promise<void>;
  references(): Promise<Map<string, Reference>>;
  print(message: string): void;
}

export type Section = (bench: Bench) => Promise<SectionResult>;

/** The page for sections that use one: the blog, if selected. */
export function onePage({ timedPages }: Plan): string {
  return (timedPages.find(({ name }) => name === "blog") ?? timedPages[0])?.name ?? "simple";
}

/** Tintype with its default settings. */
export async function tintypeOf(bench: Bench): Promise<RunningContender> {
  const tintype = (await bench.allContenders()).find(({ name }) => name === "tintype");
  if (!tintype) throw new Error("unreachable: Tintype is always a contender");
  return tintype;
}
