/** Responses per second from the cache, and their tail latency. */

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { runProgram } from "../../scripts/stack/child.ts";
import { root } from "../../scripts/stack/folders.ts";
import { namesWithAgainst, type RunningContender, startEmbedded, startProgram } from "../contenders.ts";
import type { Hammering } from "../hammer.ts";
import { type Answer, requestScreenshot } from "../measure/client.ts";
import { cpuOf } from "../measure/process-tree.ts";
import { median, percentile } from "../measure/statistics.ts";
import { number, ratio } from "../report/format.ts";
import { type Bench, onePage, type Section, tintypeOf } from "./section.ts";
import { inTurn } from "./turns.ts";

interface Run {
  name: string;
  what: "hits" | "304s";
  round: number;
  perSecond: number;
  /** Milliseconds. */
  p50: number;
  p99: number;
  /** CPU time of the service and its browsers per response, in microseconds. */
  cpuUs: number;
  /** The same of its stores. */
  storesUs: number;
  wrong: number;
}

interface Source {
  name: string;
  pid: number;
  stores: number[];
  url: string;
  headers: Record<string, string>;
  etag: string;
}

const connections = 8;
const wantedBytes = 50_000;

export const cache: Section = async (bench) => {
  await using started = new AsyncDisposableStack();
  const begin = async (starting: Promise<RunningContender>) => {
    const running = await starting;
    started.defer(() => running.stop());
    return running;
  };
  const tintype = await tintypeOf(bench);
  const embedded = await begin(startEmbedded(bench.place));
  const against = (await bench.allContenders()).find(({ name }) => name === "against");
  const cached = await cachedImage(bench, tintype);
  const { body } = cached.answer;
  const image = join(bench.place.folder, "cached.jpeg");
  await writeFile(image, body);
  const bare = await begin(startProgram("bare", bench.place, { IMAGE: image }));
  const address = `${bare.origin}/v1/screenshots/take`;
  const { etag } = (await requestScreenshot(address, {})).headers;
  const sources = [
    { ...bare, url: address, etag: String(etag) },
    sourceOf(tintype, cached),
    ...(against ? [sourceOf(against, await cachedImage(bench, against))] : []),
    sourceOf(embedded, await cachedImage(bench, embedded)),
  ];
  const runs: Run[] = [];
  for (let round = 0; round < bench.plan.rounds; round += 1) {
    for (const what of ["hits", "304s"] as const)
      for (const source of inTurn(sources, round)) runs.push({ round, ...(await measure(bench, source, what)) });
    bench.print(`  round ${round + 1} of ${bench.plan.rounds}`);
  }
  return report(runs, namesWithAgainst(["bare", "tintype", "embedded"], bench.place), body.length);
};

function sourceOf(running: RunningContender, { url, answer }: { url: string; answer: Answer }): Source {
  return { ...running, url, etag: String(answer.headers.etag) };
}

async function measure({ plan, place }: Bench, source: Source, what: Run["what"]): Promise<Omit<Run, "round">> {
  const { name, pid, stores, url, headers, etag } = source;
  const seconds = Math.max(1, Math.round(plan.sliceMs / 600));
  const order = { url, headers: { ...headers, ...(what === "304s" ? { "if-none-match": etag } : {}) }, connections, seconds };
  const [before, storesBefore] = [cpuOf(pid).tree, cpuOfStores(stores)];
  const counted = await hammer(order, place.signal);
  const all = counted.latencies.length;
  const right = counted.statuses[what === "hits" ? "200" : "304"] ?? 0;
  return {
    name,
    what,
    perSecond: right / counted.seconds,
    p50: percentile(counted.latencies, 50),
    p99: percentile(counted.latencies, 99),
    cpuUs: ((cpuOf(pid).tree - before) / all) * 1e6,
    storesUs: ((cpuOfStores(stores) - storesBefore) / all) * 1e6,
    wrong: all - right,
  };
}

/** The substitute for Redis is in this process, whose descendants are the contenders. */
function cpuOfStores(stores: number[]): number {
  return stores.reduce((sum, pid) => sum + (pid === process.pid ? cpuOf(pid).own : cpuOf(pid).tree), 0);
}

async function hammer(order: object, signal: AbortSignal): Promise<Hammering> {
  const command = [process.execPath, join(root, "bench/hammer.ts"), JSON.stringify(order)];
  return JSON.parse(await runProgram(command, { timeoutMs: 60_000, signal })) as Hammering;
}

/** A URL with a cached image of about 50 kB. */
async function cachedImage({ plan, site }: Bench, tintype: RunningContender): Promise<{ url: string; answer: Answer }> {
  const tries: { url: string; answer: Answer }[] = [];
  for (const quality of [90, 70, 50, 30, 15]) {
    const options = { url: site.url(onePage(plan), "fast"), is_cached: "true", quality: String(quality) };
    const url = `${tintype.origin}/v1/screenshots/take?${new URLSearchParams({ ...tintype.query, ...options })}`;
    // Twice: a screenshot is cached once it is stored, shortly after the response; `json` waits for that.
    await requestScreenshot(`${url}&response_type=json`, tintype.headers);
    const answer = await requestScreenshot(url, tintype.headers);
    if (answer.status === 200) tries.push({ url, answer });
  }
  const off = ({ answer }: { answer: Answer }) => Math.abs(answer.body.length - wantedBytes);
  const nearest = tries.toSorted((a, b) => off(a) - off(b))[0];
  if (!nearest) throw new Error("Tintype returned no image for the cache.");
  const again = await requestScreenshot(nearest.url, tintype.headers);
  if (again.headers["x-cache"] !== "HIT") throw new Error(`The image is not in the cache: ${again.status} ${again.headers["x-cache"]}.`);
  return { url: nearest.url, answer: again };
}

function report(runs: Run[], names: string[], bytes: number) {
  const of = (name: string, what: string) => runs.filter((run) => run.name === name && run.what === what);
  const value = (name: string, what: string, which: "perSecond" | "p50" | "p99" | "cpuUs" | "storesUs") =>
    median(of(name, what).map((run) => run[which]));
  const toBare = (name: string, what: string) =>
    median(
      of(name, what).map((run) => run.perSecond / (of("bare", what).find(({ round }) => round === run.round)?.perSecond ?? Number.NaN)),
    );
  return {
    tables: [
      {
        title: `Cached responses, ${connections} concurrent, an image of ${number(bytes / 1000, 0)} kB`,
        columns: ["", ...["hits/s", "304s/s"].flatMap((rate) => [rate, "to bare", "p50 ms", "p99 ms", "CPU µs", "stores µs"])],
        rows: names.map((name) => [
          name,
          ...["hits", "304s"].flatMap((what) => [
            number(value(name, what, "perSecond"), 0),
            ratio(toBare(name, what)),
            number(value(name, what, "p50")),
            number(value(name, what, "p99")),
            number(value(name, what, "cpuUs"), 0),
            number(value(name, what, "storesUs"), 0),
          ]),
        ]),
      },
    ],
    charts: [],
    data: { bytes, runs },
    flaws: runs.filter(({ wrong }) => wrong > 0).map(({ name, what, wrong }) => `${name}, ${what}: ${wrong} wrong responses`),
  };
}
