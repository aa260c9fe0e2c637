/** Memory of each contender alone: idle, and with four concurrent captures. */

import { setTimeout as pause } from "node:timers/promises";
import { programs, start } from "../contenders.ts";
import { type MemoryUse, memoryOf } from "../measure/process-tree.ts";
import { runSlice } from "../measure/slice.ts";
import { median } from "../measure/statistics.ts";
import { number } from "../report/format.ts";
import { type Flawed, failuresOf, flawsOf } from "./flaws.ts";
import type { Section } from "./section.ts";

interface Sample {
  name: string;
  when: "idle" | "working" | "afterwards";
  use: MemoryUse;
}

const settleMs = 1000;
const sampleMs = 100;

export const memory: Section = async (bench) => {
  await bench.stopContenders();
  const samples: Sample[] = [];
  const flawed: Flawed[] = [];
  for (const name of programs) {
    const running = await start(name, bench.place);
    const sample = (when: Sample["when"]) => samples.push({ name, when, use: memoryOf(running.pid) });
    let timer: NodeJS.Timeout | undefined;
    try {
      await pause(settleMs);
      sample("idle");
      timer = setInterval(() => sample("working"), sampleMs);
      for (const page of bench.plan.timedPages.slice(0, 4)) {
        const { answers } = await runSlice(running, { url: bench.site.url(page.name, "fast") }, { atOnce: 4, ms: bench.plan.sliceMs / 2 });
        flawed.push(failuresOf(name, page.name, answers));
      }
      clearInterval(timer);
      await pause(settleMs);
      sample("afterwards");
    } finally {
      clearInterval(timer);
      await running.stop();
    }
    bench.print(`  ${name}`);
  }
  const of = (name: string, when: Sample["when"]) => samples.filter((one) => one.name === name && one.when === when).map(({ use }) => use);
  const most = (name: string, which: keyof MemoryUse) => Math.max(...of(name, "working").map((use) => use[which]));
  const middle = (name: string, when: Sample["when"]) => median(of(name, when).map(({ anonymousMb }) => anonymousMb));
  return {
    tables: [
      {
        title: "Anonymous memory in MB, all processes (resident counts shared pages once per process)",
        columns: ["", "idle", "busy, median", "busy, max", "afterwards", "resident, max", "processes, max"],
        rows: programs.map((name) => [
          name,
          number(middle(name, "idle"), 0),
          number(middle(name, "working"), 0),
          number(most(name, "anonymousMb"), 0),
          number(middle(name, "afterwards"), 0),
          number(most(name, "residentMb"), 0),
          number(most(name, "processes"), 0),
        ]),
      },
    ],
    charts: [
      {
        title: "Memory with four concurrent captures",
        unit: "MB that no file backs, median; shorter is better",
        bars: programs.map((name) => ({ label: name, value: middle(name, "working") })),
      },
    ],
    data: samples,
    flaws: flawsOf(flawed),
  };
};
