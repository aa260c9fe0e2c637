/** Captures per second with four concurrent callers, and CPU time per capture. */

import { median } from "../measure/statistics.ts";
import { number, percent, ratio } from "../report/format.ts";
import { flawsOf } from "./flaws.ts";
import { ratioToRaw } from "./ratio.ts";
import type { Section } from "./section.ts";
import { type Turn, takeTurns } from "./turns.ts";

const rate = ({ captures, seconds }: Turn) => captures / seconds;
const cpuEach = ({ cpu, captures }: Turn) => cpu / captures;

export const capture: Section = async (bench) => {
  const pages = bench.plan.timedPages.map(({ name }) => name);
  const turns = await takeTurns(
    bench,
    pages.map((page) => ({ page, network: "fast" })),
    { atOnce: 4, ms: bench.plan.sliceMs },
  );
  const names = [...new Set(turns.map(({ contender }) => contender))];
  const of = (name: string, page?: string) => turns.filter((turn) => turn.contender === name && (page === undefined || turn.page === page));
  const medianOf = (some: Turn[], value: (turn: Turn) => number) => median(some.map(value).filter(Number.isFinite));
  const byPage = (value: (turn: Turn) => number, digits: number) => (name: string) =>
    pages.map((page) => number(medianOf(of(name, page), value), digits));

  const references = await bench.references();
  const weights = pages
    .map((page) => ({ page, requests: references.get(page)?.requests ?? 0, bytes: references.get(page)?.bytes ?? 0 }))
    .sort((a, b) => a.bytes - b.bytes);
  const toRaw = (name: string, page: string) => ratioToRaw([...of("raw", page), ...of(name, page)], name, rate);
  const rates = byPage(rate, 1);
  const costs = byPage(cpuEach, 2);
  return {
    tables: [
      {
        title: "Captures per second, four concurrent (medians; the ratio is the median over pages and rounds)",
        columns: ["", "to raw", ...pages, "wrong pixels"],
        rows: names.map((name) => [
          name,
          ratio(ratioToRaw(turns, name, rate)),
          ...rates(name),
          percent(medianOf(of(name), ({ off }) => off)),
        ]),
      },
      {
        title: "CPU seconds per capture, all processes",
        columns: ["", "to raw", ...pages, "Node's part", "stores"],
        rows: names.map((name) => [
          name,
          ratio(ratioToRaw(turns, name, cpuEach)),
          ...costs(name),
          number(
            medianOf(of(name), ({ nodeCpu, captures }) => nodeCpu / captures),
            3,
          ),
          number(
            medianOf(of(name), ({ storesCpu, captures }) => storesCpu / captures),
            3,
          ),
        ]),
      },
      {
        title: "Captures per second by the page's weight, as a ratio to raw",
        columns: ["", "requests", "kB", "tintype", "tintype-load"],
        rows: weights.map(({ page, requests, bytes }) => [
          page,
          String(requests),
          number(bytes / 1000, 0),
          ratio(toRaw("tintype", page)),
          ratio(toRaw("tintype-load", page)),
        ]),
      },
    ],
    charts: [
      {
        title: "Captures, four concurrent",
        unit: "captures a second, as a ratio to raw Chromium; longer is better",
        bars: names.map((name) => ({ label: name, value: ratioToRaw(turns, name, rate) })),
      },
      {
        title: "CPU time per capture",
        unit: "as a ratio to raw Chromium; shorter is better",
        bars: names.map((name) => ({ label: name, value: ratioToRaw(turns, name, cpuEach) })),
      },
    ],
    data: turns,
    flaws: flawsOf(turns),
  };
};
