/** How Tintype's throughput scales with concurrency, cores, and the number of stored records. */

import { cpus } from "node:os";
import pg from "pg";
import { runProgram } from "../../scripts/stack/child.ts";
import { account, type RunningContender, start, startTintype } from "../contenders.ts";
import { requestScreenshot } from "../measure/client.ts";
import { pidsOf } from "../measure/process-tree.ts";
import { runSlice } from "../measure/slice.ts";
import { median, percentile } from "../measure/statistics.ts";
import type { Table } from "../report/figures.ts";
import { number, ratio } from "../report/format.ts";
import { type Flawed, failuresOf, flawsOf } from "./flaws.ts";
import { type Bench, onePage, type Section } from "./section.ts";
import { inTurn } from "./turns.ts";

interface Part {
  table: Table;
  data: object[];
  flawed: Flawed[];
}

export const growth: Section = async (bench) => {
  await bench.stopContenders();
  await using parts = new AsyncDisposableStack();
  const started = async (starting: Promise<RunningContender>) => {
    const running = await starting;
    parts.defer(() => running.stop());
    return running;
  };
  const raw = await started(start("raw", bench.place));
  const byConcurrency = new Map<number, RunningContender>();
  for (const slots of [1, 2, 4, 8])
    byConcurrency.set(slots, await started(startTintype(bench.place, { MAX_CONCURRENT_SCREENSHOTS: String(slots) })));
  const four = byConcurrency.get(4) as RunningContender;

  const results: Part[] = [];
  for (const [name, measure] of [
    ["captures at a time", () => concurrencyCurve(bench, byConcurrency, raw)],
    ["cores", () => coresCurve(bench, four, raw)],
    ["captures on record", () => recordCurve(bench, four)],
  ] as const) {
    results.push(await measure());
    bench.print(`  ${name}`);
  }
  return {
    tables: results.map(({ table }) => table),
    charts: [],
    data: results.map(({ data }) => data),
    flaws: flawsOf(results.flatMap(({ flawed }) => flawed)),
  };
};

/** Captures per second for both in one round. */
interface Run {
  /** Number of concurrent captures, or of cores. */
  at: number;
  round: number;
  tintype: number;
  raw: number;
}

async function runBoth(
  bench: Bench,
  both: { tintype: RunningContender; raw: RunningContender },
  { at, round, atOnce, ms = bench.plan.sliceMs }: { at: number; round: number; atOnce: number; ms?: number },
  flawed: Flawed[],
): Promise<Run> {
  const page = onePage(bench.plan);
  const run: Run = { at, round, tintype: 0, raw: 0 };
  for (const name of inTurn(["tintype", "raw"] as const, round)) {
    const { answers, seconds } = await runSlice(both[name], { url: bench.site.url(page, "fast") }, { atOnce, ms });
    run[name] = answers.filter(({ status }) => status === 200).length / seconds;
    flawed.push(failuresOf(name, page, answers));
  }
  return run;
}

function curve(title: string, runs: Run[]): Table {
  const points = [...Map.groupBy(runs, ({ at }) => at)].sort(([a], [b]) => a - b);
  return {
    title,
    columns: ["", "tintype", "raw", "to raw"],
    rows: points.map(([at, some]) => [
      String(at),
      number(median(some.map((run) => run.tintype))),
      number(median(some.map((run) => run.raw))),
      ratio(median(some.map((run) => run.tintype / run.raw))),
    ]),
  };
}

async function concurrencyCurve(bench: Bench, services: Map<number, RunningContender>, raw: RunningContender): Promise<Part> {
  const flawed: Flawed[] = [];
  const runs: Run[] = [];
  for (let round = 0; round < bench.plan.rounds; round += 1)
    for (const [slots, tintype] of services) {
      const both = { tintype, raw };
      if (round === 0) await runBoth(bench, both, { at: slots, round, atOnce: slots, ms: 0 }, flawed);
      runs.push(await runBoth(bench, both, { at: slots, round, atOnce: slots }, flawed));
    }
  return { table: curve("Captures a second by MAX_CONCURRENT_SCREENSHOTS, as many requests at a time", runs), data: runs, flawed };
}

async function coresCurve(bench: Bench, tintype: RunningContender, raw: RunningContender): Promise<Part> {
  const flawed: Flawed[] = [];
  const runs: Run[] = [];
  for (let round = 0; round < bench.plan.rounds; round += 1)
    for (const cores of [1, 2, 4, 8, 16].filter((count) => count <= cpus().length)) {
      const pinned = (await pin(bench, tintype, cores)) && (await pin(bench, raw, cores));
      if (pinned) runs.push(await runBoth(bench, { tintype, raw }, { at: cores, round, atOnce: 4 }, flawed));
      else flawed.push({ contender: "both", page: `${cores} cores`, flaws: ["taskset can't bind them"] });
    }
  for (const contender of [tintype, raw]) await pin(bench, contender, cpus().length);
  const title = "Captures a second by cores (the service and its browsers pinned; the stores and the site not), four at a time";
  return { table: curve(title, runs), data: runs, flawed };
}

/** Binds all threads of the processes to the first cores; their children inherit this. Returns false if that isn't possible. */
async function pin(bench: Bench, { pid }: RunningContender, cores: number): Promise<boolean> {
  const bind = (one: number) => ["taskset", "--all-tasks", "--cpu-list", "--pid", `0-${cores - 1}`, String(one)];
  const [own] = await Promise.allSettled(
    pidsOf(pid).map((one) => runProgram(bind(one), { timeoutMs: 10_000, signal: bench.place.signal })),
  );
  return own?.status === "fulfilled"; // a descendant may have exited in the meantime
}

async function recordCurve(bench: Bench, tintype: RunningContender): Promise<Part> {
  const { place, plan, site } = bench;
  const url = site.url("simple", "fast");
  const cachedAddress = `${tintype.origin}/v1/screenshots/take?${new URLSearchParams({ ...tintype.query, url, is_cached: "true" })}`;
  await requestScreenshot(`${cachedAddress}&response_type=json`, tintype.headers);
  const database = new pg.Client({ connectionString: place.stack.databaseUrl });
  await database.connect();
  const runs: { records: number; capture: number; hit: number; hitP99: number }[] = [];
  const flawed: Flawed[] = [];
  try {
    let there = 0;
    for (const records of plan.quick ? [10, 100_000] : [10, 1_000, 100_000, 1_000_000]) {
      await record(database, records - there);
      there = records;
      const { answers } = await runSlice(tintype, { url }, { atOnce: 1, ms: 1.5 * plan.sliceMs });
      const good = answers.filter(({ status }) => status === 200);
      const hits: number[] = [];
      const misses: string[] = [];
      for (let turn = 0; turn < 300; turn += 1) {
        const { status, headers, ms } = await requestScreenshot(cachedAddress, tintype.headers);
        if (headers["x-cache"] === "HIT") hits.push(ms);
        else misses.push(`no cache hit but ${status}`);
      }
      flawed.push(failuresOf("tintype", "simple", answers), { contender: "tintype", page: "simple", flaws: misses });
      runs.push({ records, capture: median(good.map(({ ms }) => ms)), hit: median(hits), hitP99: percentile(hits, 99) });
    }
  } finally {
    await database.end();
  }
  return {
    table: {
      title: "Milliseconds by number of stored records, one capture at a time",
      columns: ["", "capture", "cache hit", "hit, p99"],
      rows: runs.map(({ records, capture, hit, hitP99 }) => [
        records.toLocaleString("en"),
        number(capture, 0),
        number(hit, 2),
        number(hitP99, 2),
      ]),
    },
    data: runs,
    flawed,
  };
}

/** Adds records of recent captures to the benchmark's account. */
async function record(database: pg.Client, count: number): Promise<void> {
  await database.query(
    `insert into screenshots (id, user_id, period_start, status, url, options, cache_key, format, width, height, bytes, duration_ms, object_key, expires_at, created_at)
     select overlay(overlay(gen_random_uuid()::text placing left(screenshot_id_at(now() - n * interval '1 second')::text, 13) from 1) placing '7' from 15)::uuid, u.id, date_trunc('month', now()), 'done', 'https://site.example/' || n, '{"format": "jpeg"}', sha256(n::text::bytea),
            'jpeg', 1280, 720, 50000, 100, 'screenshots/' || n, now() + interval '300 days', now() - n * interval '1 second'
       from users u, generate_series(1, $2::integer) n
      where u.email = $1`,
    [account.email, count],
  );
  await database.query("analyze screenshots");
}
