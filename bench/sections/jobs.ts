/** The job queue: its speed beside its engine's, how soon a job begins, and what one account's full queue costs the others. */

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
    "Tintype's queue, 8 places": () => engine.ours(count),
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
  const ours = rates["Tintype's queue, 8 places"];
  const toOurs = (name: keyof typeof measured) => median(ours.map((rate, round) => rate / (rates[name][round] ?? Number.NaN)));
  return {
    tables: [
      {
        title: `Jobs that do nothing, of 20 accounts, ${count} waiting: taken and settled a second`,
        columns: ["", "a second", "Tintype's to it"],
        rows: names.map((name) => [name, number(median(rates[name]), 0), ratio(toOurs(name))]),
      },
      {
        title: `Milliseconds from the commit of an account's job to its begin; the full queue has ${waitingMax} of another account`,
        columns: ["", "p50", "p95"],
        rows: Object.entries(pickUps).map(([name, times]) => [name, number(percentile(times, 50)), number(percentile(times, 95))]),
      },
    ],
    data: { rates, pickUps },
  };
}

interface Round {
  /** Of captures that another account queues, one after the other. */
  queued: QueuedTimes[];
  /** Of another account's synchronous requests: milliseconds, one at a time; and captures a second, four at a time. */
  latencies: number[];
  rate: number;
}

async function besideFullQueue(bench: Bench): Promise<{ tables: Table[]; data: object; flawed: Flawed[] }> {
  const crowd = await startTintype(bench.place);
  const flawed: Flawed[] = [];
  const rounds: Record<"empty" | "full", Round>[] = [];
  try {
    const other = await asOtherAccount(crowd, bench.place);
    const url = bench.site.url("simple", "fast");
    await runSlice(other, { url }, { atOnce: 4, ms: 2_000 }); // warm-up
    for (let round = 0; round < bench.plan.rounds; round += 1) {
      const measured: Partial<(typeof rounds)[number]> = {};
      for (const state of inTurn(["empty", "full"] as const, round)) {
        const ids = state === "full" ? await fillQueue(crowd, url, waitingMax) : [];
        measured[state] = await measureRound(bench, other, url, flawed);
        await emptyQueue(crowd, ids);
      }
      rounds.push(measured as (typeof rounds)[number]);
      bench.print(`  full queue, round ${round + 1} of ${bench.plan.rounds}`);
    }
  } finally {
    await crowd.stop();
  }
  return { tables: tablesOf(rounds), data: rounds, flawed };
}

async function measureRound({ plan, print }: Bench, other: RunningContender, url: string, flawed: Flawed[]): Promise<Round> {
  const queued: QueuedTimes[] = [];
  for (let index = 0; index < queuedCaptures; index += 1) queued.push(await captureQueued(other, `${url}?first=${index}`));
  const single = await runSlice(other, { url }, { atOnce: 1, ms: plan.sliceMs });
  const many = await runSlice(other, { url }, { atOnce: 4, ms: plan.sliceMs });
  flawed.push(failuresOf("tintype", "simple", [...single.answers, ...many.answers]));
  const latencies = single.answers.map(({ ms }) => ms);
  print(`    waited ${number(median(queued.map(({ waited }) => waited)), 0)} ms, p50 ${number(median(latencies), 0)} ms`);
  return { queued, latencies, rate: many.answers.length / many.seconds };
}

function tablesOf(rounds: Record<"empty" | "full", Round>[]): Table[] {
  const row = (state: "empty" | "full", label: string) => {
    const own = rounds.map((round) => round[state]);
    const queued = own.flatMap((round) => round.queued);
    const took = median(queued.map((one) => one.took));
    const waited = queued.map((one) => one.waited);
    const latencies = own.flatMap((round) => round.latencies);
    return [
      label,
      number(percentile(waited, 50), 0),
      number(percentile(waited, 95), 0),
      number(took, 0),
      ratio(percentile(waited, 95) / took),
      number(percentile(latencies, 50), 0),
      number(percentile(latencies, 95), 0),
      number(median(own.map(({ rate }) => rate)), 1),
    ];
  };
  const toEmpty = (figure: (round: Round) => number) => ratio(median(rounds.map(({ empty, full }) => figure(full) / figure(empty))));
  return [
    {
      title: `Another account's captures beside ${waitingMax} waiting ones: milliseconds of queued ones, one after the other, and of synchronous ones, one at a time; and captures a second, four at a time`,
      columns: ["", "waited p50", "waited p95", "took", "p95 to it", "synchronous p50", "p95", "a second"],
      rows: [
        row("empty", "empty queue"),
        row("full", "full queue"),
        ["ratio", "", "", "", "", toEmpty(({ latencies }) => median(latencies)), "", toEmpty(({ rate }) => rate)],
      ],
    },
  ];
}
