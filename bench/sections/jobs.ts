/** The job queue: its speed compared with its engine's, how soon a job starts, and what one account's full queue costs the others. */

import { asOtherAccount, type RunningContender, startTintype } from "../contenders.ts";
import { captureQueued, emptyQueue, fillQueue, type QueuedTimes } from "../measure/full-queue.ts";
import { startJobEngine } from "../measure/job-engine.ts";
import { runSlice } from "../measure/slice.ts";
import { median, percentile } from "../measure/statistics.ts";
import type { Table } from "../report/figures.ts";
import { number, ratio } from "../report/format.ts";
import { type Flawed, failuresOf, flawsOf } from "./flaws.ts";
import type { Bench, Section } from "./section.ts";
import { inTurn } from "./turns.ts";

const waitingMax = 10_000;
const queuedCaptures = 12;
/** How many times longer a slice of this section is than the plan's: next to requests, a queued capture starts only every two seconds. */
const slicesLonger = 4;

export const jobQueue: Section = async (bench) => {
  await bench.stopContenders();
  const engine = await engineFigures(bench);
  const beside = await besideFullQueue(bench);
  return {
    tables: [...engine.tables, ...beside.tables],
    charts: [],
    data: [engine.data, beside.data],
    flaws: flawsOf(beside.flawed),
  };
};

async function engineFigures(bench: Bench): Promise<{ tables: Table[]; data: object }> {
  const url = bench.place.stack.databaseUrl;
  if (url === undefined) throw new Error("unreachable: the benchmark starts its own PostgreSQL");
  await using engine = await startJobEngine(url);
  const count = bench.plan.quick ? 1_000 : 5_000;
  const measured = {
    "Tintype's queue, 8 slots": () => engine.ours(count),
    "pg-boss, 8 loops, one job each": () => engine.engine(count, "single"),
    "pg-boss, 8 loops, 100 jobs each": () => engine.engine(count, "many"),
  };
  const names = Object.keys(measured) as (keyof typeof measured)[];
  const rates = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<keyof typeof measured, number[]>;
  const pickUps: Record<string, number[]> = { "an empty queue": [], "a full queue": [] };
  for (let round = 0; round < bench.plan.rounds; round += 1) {
    for (const name of inTurn(names, round)) rates[name].push(await measured[name]());
    pickUps["an empty queue"]?.push(...(await engine.pickUp(40, 0)));
    pickUps["a full queue"]?.push(...(await engine.pickUp(40, waitingMax)));
    bench.print(`  engine, round ${round + 1} of ${bench.plan.rounds}`);
  }
  const ours = rates["Tintype's queue, 8 slots"];
  const toOurs = (name: keyof typeof measured) => median(ours.map((rate, round) => rate / (rates[name][round] ?? Number.NaN)));
  return {
    tables: [
      {
        title: `Jobs that do nothing, from 20 accounts, ${count} waiting: taken and settled per second`,
        columns: ["", "a second", "Tintype's to it"],
        rows: names.map((name) => [name, number(median(rates[name]), 0), ratio(toOurs(name))]),
      },
      {
        title: `Milliseconds from the commit of an account's job to its start; the full queue has ${waitingMax} jobs of another account`,
        columns: ["", "p50", "p95"],
        rows: Object.entries(pickUps).map(([name, times]) => [name, number(percentile(times, 50)), number(percentile(times, 95))]),
      },
    ],
    data: { rates, pickUps },
  };
}

/** Another account's synchronous requests: milliseconds one at a time, and captures per second four at a time. */
const figures = ["p50", "p95", "a second"] as const;
type Figures = Record<(typeof figures)[number], number>;

interface Round extends Figures {
  /** Times of captures that another account queues, one after another. */
  queued: QueuedTimes[];
}

type Pair = Record<"empty" | "full", Round>;

async function besideFullQueue(bench: Bench): Promise<{ tables: Table[]; data: object; flawed: Flawed[] }> {
  const tintype = await startTintype(bench.place);
  const flawed: Flawed[] = [];
  const pairs: Pair[] = [];
  try {
    const other = await asOtherAccount(tintype, bench.place);
    const url = bench.site.url("simple", "fast");
    const queuedUrl = bench.site.url("blog", "fast"); // heavier than the page that the requests capture
    await runSlice(other, { url }, { atOnce: 4, ms: 2_000 }); // warm-up
    for (let round = 0; round < bench.plan.rounds; round += 1) {
      const measured: Partial<Pair> = {};
      // An account may cancel only so many captures in an hour.
      const crowd = await asOtherAccount(tintype, bench.place, `crowd-${round}@example.com`);
      for (const state of inTurn(["empty", "full"] as const, round)) {
        const ids = state === "full" ? await fillQueue(crowd, queuedUrl, waitingMax) : [];
        measured[state] = await measureRound(bench, other, { url, queuedUrl }, flawed);
        await emptyQueue(crowd, ids);
      }
      pairs.push(measured as Pair);
      bench.print(`  full queue, round ${round + 1} of ${bench.plan.rounds}`);
    }
  } finally {
    await tintype.stop();
  }
  return { tables: [queuedTable(pairs), synchronousTable(pairs)], data: pairs, flawed };
}

async function measureRound(
  { plan, print }: Bench,
  other: RunningContender,
  { url, queuedUrl }: Record<"url" | "queuedUrl", string>,
  flawed: Flawed[],
): Promise<Round> {
  const queued: QueuedTimes[] = [];
  for (let index = 0; index < queuedCaptures; index += 1) queued.push(await captureQueued(other, `${queuedUrl}?first=${index}`));
  const ms = slicesLonger * plan.sliceMs;
  const single = await runSlice(other, { url }, { atOnce: 1, ms });
  const many = await runSlice(other, { url }, { atOnce: 4, ms });
  flawed.push(failuresOf("tintype", "simple", [...single.answers, ...many.answers]));
  const latencies = single.answers.map(({ ms }) => ms);
  const round = { queued, p50: median(latencies), p95: percentile(latencies, 95), "a second": many.answers.length / many.seconds };
  print(`    waited ${number(median(queued.map(({ waited }) => waited)), 0)} ms, p50 ${number(round.p50, 0)} ms`);
  return round;
}

function queuedTable(pairs: Pair[]): Table {
  const row = (state: keyof Pair) => {
    const queued = pairs.flatMap((pair) => pair[state].queued);
    const took = median(queued.map((one) => one.took));
    const waited = queued.map((one) => one.waited);
    const [p50, p95] = [percentile(waited, 50), percentile(waited, 95)];
    return [`${state} queue`, number(p50, 0), number(p95, 0), number(took, 0), ratio(p95 / took)];
  };
  return {
    title: `Another account's queued captures next to ${waitingMax} waiting ones, one after another: milliseconds`,
    columns: ["", "waited p50", "waited p95", "took", "p95 to it"],
    rows: [row("empty"), row("full")],
  };
}

function synchronousTable(pairs: Pair[]): Table {
  const row = (figure: (typeof figures)[number]) => {
    const of = (state: keyof Pair) => number(median(pairs.map((pair) => pair[state][figure])));
    const ratios = pairs.map(({ empty, full }) => full[figure] / empty[figure]);
    return [figure, of("empty"), of("full"), ratio(median(ratios)), ratio(Math.min(...ratios)), ratio(Math.max(...ratios))];
  };
  return {
    title: `Another account's synchronous requests next to ${waitingMax} waiting captures: milliseconds one at a time, and captures per second four at a time`,
    columns: ["", "empty queue", "full queue", "full to empty", "lowest", "highest"],
    rows: figures.map(row),
  };
}
