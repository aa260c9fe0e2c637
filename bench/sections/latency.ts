/** Time per capture, one at a time: back to back, and each after a pause. */

import { median, percentile } from "../measure/statistics.ts";
import { number, ratio } from "../report/format.ts";
import { flawsOf } from "./flaws.ts";
import { ratioToRaw } from "./ratio.ts";
import type { Section } from "./section.ts";
import { type Cell, type Turn, takeTurns } from "./turns.ts";

/** Long enough for the work after a response to finish. */
const restMs = 150;
const preferred = ["simple", "blog", "docs"];

export const latency: Section = async (bench) => {
  const timed = bench.plan.timedPages.map(({ name }) => name);
  const chosen = preferred.filter((name) => timed.includes(name));
  const pages = chosen.length > 0 ? chosen : timed;
  const heaviest = pages.includes("blog") ? "blog" : (pages.at(-1) ?? "");
  const cells: Cell[] = [...pages.map((page): Cell => ({ page, network: "fast" })), { page: heaviest, network: "slow" }];
  const { sliceMs } = bench.plan;
  const turns = await takeTurns(bench, cells, { atOnce: 1, ms: 0.75 * sliceMs });
  const rested = await takeTurns(bench, cells, { atOnce: 1, ms: sliceMs, restMs });

  const names = [...new Set(turns.map(({ contender }) => contender))];
  const label = ({ page, network }: Cell) => (network === "slow" ? `${page}, slow network` : page);
  const all = (some: Turn[], name: string, cell: Cell) =>
    some
      .filter((turn) => turn.contender === name && turn.page === cell.page && turn.network === cell.network)
      .flatMap((turn) => turn.latencies);
  const table = (title: string, some: Turn[]) => ({
    title,
    columns: ["", "p50 to raw", ...cells.map(label)],
    rows: names.map((name) => [
      name,
      ratio(ratioToRaw(some, name, ({ latencies }) => median(latencies))),
      ...cells.map((cell) => `${number(percentile(all(some, name, cell), 50), 0)} / ${number(percentile(all(some, name, cell), 95), 0)}`),
    ]),
  });
  return {
    tables: [
      table("Milliseconds for a capture, one right after the other: p50 / p95", turns),
      table(`Milliseconds for a capture, each after a rest of ${restMs} ms: p50 / p95`, rested),
    ],
    charts: [
      {
        title: "Time per capture, back to back",
        unit: "p50 as a ratio to raw Chromium; shorter is better",
        bars: names.map((name) => ({ label: name, value: ratioToRaw(turns, name, ({ latencies }) => median(latencies)) })),
      },
    ],
    data: { turns, rested },
    flaws: flawsOf([...turns, ...rested]),
  };
};
