/** How Tintype's speed changes with captures at a time, with cores, and with the captures that are already on record. */

import { spawnSync } from "node:child_process";
import { cpus } from "node:os";
import pg from "pg";
import { account, type RunningContender, start, startTintype } from "../contenders.ts";
import { ask } from "../measure/client.ts";
import { pidsOf } from "../measure/process-tree.ts";
import { runSlice } from "../measure/slice.ts";
import { median, percentile } from "../measure/statistics.ts";
import type { Table } from "../report/figures.ts";
import { number, ratio } from "../report/words.ts";
import type { Bench, Section } from "./section.ts";

interface Part {
  table: Table;
  data: unknown;
}

export const growth: Section = async (bench) => {
  await bench.nobody();
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
    bench.say(`  ${name}`);
  }
  return { tables: results.map(({ table }) => table), charts: [], data: results.map(({ data }) => data), flaws: [] };
};

function pageOf({ plan, site }: Bench): string {
  const page = plan.timedPages.find(({ name }) => name === "blog") ?? plan.timedPages[0];
  return site.url(page?.name ?? "simple", "fast");
}

async function rate(contender: RunningContender, url: string, load: { atOnce: number; ms: number }): Promise<number> {
  const { answers, seconds } = await runSlice(contender, { url }, load);
  return answers.filter(({ status }) => status === 200).length / seconds;
}

async function concurrencyCurve(bench: Bench, services: Map<number, RunningContender>, raw: RunningContender): Promise<Part> {
  const url = pageOf(bench);
  const ms = bench.plan.sliceMs;
  const runs: { slots: number; round: number; tintype: number; raw: number }[] = [];
  for (let round = 0; round < bench.plan.rounds; round += 1)
    for (const [slots, tintype] of services) {
      if (round === 0) await rate(tintype, url, { atOnce: slots, ms: 0 });
      runs.push({
        slots,
        round,
        tintype: await rate(tintype, url, { atOnce: slots, ms }),
        raw: await rate(raw, url, { atOnce: slots, ms }),
      });
    }
  const of = (slots: number) => runs.filter((run) => run.slots === slots);
  return {
    table: {
      title: "Captures a second by MAX_CONCURRENT_SCREENSHOTS, as many requests at a time",
      columns: ["", "tintype", "raw", "to raw"],
      rows: [...services.keys()].map((slots) => [
        String(slots),
        number(median(of(slots).map((run) => run.tintype))),
        number(median(of(slots).map((run) => run.raw))),
        ratio(median(of(slots).map((run) => run.tintype / run.raw))),
      ]),
    },
    data: runs,
  };
}

async function coresCurve(bench: Bench, tintype: RunningContender, raw: RunningContender): Promise<Part> {
  const url = pageOf(bench);
  const runs: { cores: number; round: number; tintype: number; raw: number }[] = [];
  const counts = [1, 2, 4, 8, 16].filter((count) => count <= cpus().length);
  for (let round = 0; round < bench.plan.rounds; round += 1)
    for (const cores of counts) {
      const pinned = [tintype, raw].map((contender) => pin(contender, cores));
      if (pinned.includes(false)) continue;
      const load = { atOnce: 4, ms: bench.plan.sliceMs };
      runs.push({ cores, round, tintype: await rate(tintype, url, load), raw: await rate(raw, url, load) });
    }
  for (const contender of [tintype, raw]) pin(contender, cpus().length);
  const of = (cores: number) => runs.filter((run) => run.cores === cores);
  return {
    table: {
      title: "Captures a second by cores (the service and its browsers pinned; the stores and the site not), four at a time",
      columns: ["", "tintype", "raw", "to raw"],
      rows: counts.map((cores) => [
        String(cores),
        number(median(of(cores).map((run) => run.tintype))),
        number(median(of(cores).map((run) => run.raw))),
        ratio(median(of(cores).map((run) => run.tintype / run.raw))),
      ]),
    },
    data: runs,
  };
}

/** Binds all processes, with all threads, to the first cores; what they start inherits that. False where it can't be done. */
function pin({ pid }: RunningContender, cores: number): boolean {
  const results = pidsOf(pid).map((one) => spawnSync("taskset", ["--all-tasks", "--cpu-list", "--pid", `0-${cores - 1}`, String(one)]));
  return results[0]?.status === 0; // a process below may have ended meanwhile
}

async function recordCurve(bench: Bench, tintype: RunningContender): Promise<Part> {
  const { place, plan, site } = bench;
  const url = site.url("simple", "fast");
  const cachedAddress = `${tintype.origin}/v1/screenshots/take?${new URLSearchParams({ ...tintype.query, url, is_cached: "true" })}`;
  await ask(`${cachedAddress}&response_type=json`, tintype.headers);
  const database = new pg.Client({ connectionString: place.stack.databaseUrl });
  await database.connect();
  const runs: { records: number; capture: number; hit: number; hitP99: number }[] = [];
  try {
    let there = 0;
    for (const records of plan.quick ? [10, 100_000] : [10, 1_000, 100_000, 1_000_000]) {
      await record(database, records - there);
      there = records;
      const { answers } = await runSlice(tintype, { url }, { atOnce: 1, ms: 1.5 * plan.sliceMs });
      const hits: number[] = [];
      for (let turn = 0; turn < 300; turn += 1) {
        const { headers, ms } = await ask(cachedAddress, tintype.headers);
        if (headers["x-cache"] === "HIT") hits.push(ms);
      }
      runs.push({ records, capture: median(answers.map(({ ms }) => ms)), hit: median(hits), hitP99: percentile(hits, 99) });
    }
  } finally {
    await database.end();
  }
  return {
    table: {
      title: "Milliseconds by captures on record, one at a time",
      columns: ["", "capture", "cache hit", "hit, p99"],
      rows: runs.map(({ records, capture, hit, hitP99 }) => [
        records.toLocaleString("en"),
        number(capture, 0),
        number(hit, 2),
        number(hitP99, 2),
      ]),
    },
    data: runs,
  };
}

/** Adds captures of the benchmark's account to the record, made over the last days. */
async function record(database: pg.Client, count: number): Promise<void> {
  await database.query(
    `insert into screenshots (id, user_id, period_start, status, url, options, cache_key, format, width, height, bytes, duration_ms, object_key, expires_at, created_at)
     select gen_random_uuid(), u.id, date_trunc('month', now()), 'done', 'https://site.example/' || n, '{"format": "jpeg"}', sha256(n::text::bytea),
            'jpeg', 1280, 720, 50000, 100, 'screenshots/' || n, now() + interval '300 days', now() - n * interval '1 second'
       from users u, generate_series(1, $2::integer) n
      where u.email = $1`,
    [account.email, count],
  );
  await database.query("analyze screenshots");
}
