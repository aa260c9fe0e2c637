/** How long one capture takes when nothing else runs. */

import { median, percentile } from "../measure/statistics.ts";
import { number, ratio } from "../report/words.ts";
import { flawsOf } from "./flaws.ts";
import { ratioToRaw } from "./ratio.ts";
import type { Section } from "./section.ts";
import { type Cell, takeTurns } from "./turns.ts";

const preferred = ["simple", "blog", "docs"];

export const latency: Section = async (bench) => {
  const timed = bench.plan.timedPages.map(({ name }) => name);
  const chosen = preferred.filter((name) => timed.includes(name));
  const pages = chosen.length > 0 ? chosen : timed;
  const heaviest = pages.includes("blog") ? "blog" : (pages.at(-1) ?? "");
  const cells: Cell[] = [...pages.map((page): Cell => ({ page, network: "fast" })), { page: heaviest, network: "slow" }];
  const turns = await takeTurns(bench, cells, { atOnce: 1, ms: 0.75 * bench.plan.sliceMs });

  const names = [...new Set(turns.map(({ contender }) => contender))];
  const label = ({ page, network }: Cell) => (network === "slow" ? `${page}, slow network` : page);
  const all = (name: string, cell: Cell) =>
    turns
      .filter((turn) => turn.contender === name && turn.page === cell.page && turn.network === cell.network)
      .flatMap((turn) => turn.latencies);
  return {
    tables: [
      {
        title: "Milliseconds for a capture, one at a time: p50 / p95",
        columns: ["", "p50 to raw", ...cells.map(label)],
        rows: names.map((name) => [
          name,
          ratio(ratioToRaw(turns, name, ({ latencies }) => median(latencies))),
          ...cells.map((cell) => `${number(percentile(all(name, cell), 50), 0)} / ${number(percentile(all(name, cell), 95), 0)}`),
        ]),
      },
    ],
    charts: [
      {
        title: "Time for a capture, one at a time",
        unit: "p50 as a ratio to raw Chromium; shorter is better",
        bars: names.map((name) => ({ label: name, value: ratioToRaw(turns, name, ({ latencies }) => median(latencies)) })),
      },
    ],
    data: turns,
    flaws: flawsOf(turns),
  };
};
