/** Time from the start of each contender until it is ready, and until its first screenshot. */

import { namesWithAgainst, programs, start } from "../contenders.ts";
import { shoot } from "../measure/slice.ts";
import { median } from "../measure/statistics.ts";
import { number } from "../report/format.ts";
import { type Flawed, failuresOf, flawsOf } from "./flaws.ts";
import type { Section } from "./section.ts";

export const ready: Section = async (bench) => {
  await bench.stopContenders();
  const names = namesWithAgainst(programs, bench.place);
  const starts: { name: string; readyMs: number; firstMs: number }[] = [];
  const flawed: Flawed[] = [];
  for (let round = 0; round < bench.plan.rounds; round += 1)
    for (const name of names) {
      const running = await start(name, bench.place);
      try {
        const first = await shoot(running, { url: bench.site.url("simple", "fast") });
        starts.push({ name, readyMs: running.readyMs, firstMs: running.readyMs + first.ms });
        flawed.push(failuresOf(name, "simple", [first]));
      } finally {
        await running.stop();
      }
    }
  const middle = (name: string, which: "readyMs" | "firstMs") => median(starts.filter((one) => one.name === name).map((one) => one[which]));
  return {
    tables: [
      {
        title: "Milliseconds from the start of the process",
        columns: ["", "ready", "first screenshot"],
        rows: names.map((name) => [name, number(middle(name, "readyMs"), 0), number(middle(name, "firstMs"), 0)]),
      },
    ],
    charts: [],
    data: starts,
    flaws: flawsOf(flawed),
  };
};
