/** How long after its start each is ready, and has its first picture. */

import { programs, start } from "../contenders.ts";
import { shoot } from "../measure/slice.ts";
import { median } from "../measure/statistics.ts";
import { number } from "../report/words.ts";
import { type Flawed, failuresOf, flawsOf } from "./flaws.ts";
import type { Section } from "./section.ts";

export const ready: Section = async (bench) => {
  await bench.nobody();
  const starts: { name: string; readyMs: number; firstMs: number }[] = [];
  const flawed: Flawed[] = [];
  for (let round = 0; round < bench.plan.rounds; round += 1)
    for (const name of programs) {
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
        title: "Milliseconds from the start of its process",
        columns: ["", "ready", "first picture"],
        rows: programs.map((name) => [name, number(middle(name, "readyMs"), 0), number(middle(name, "firstMs"), 0)]),
      },
    ],
    charts: [],
    data: starts,
    flaws: flawsOf(flawed),
  };
};
