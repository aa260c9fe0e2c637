/** How many answers a second from the cache, and how late the latest are. */

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import autocannon from "autocannon";
import { type RunningContender, startProgram } from "../contenders.ts";
import { type Answer, ask } from "../measure/client.ts";
import { median } from "../measure/statistics.ts";
import { number, ratio } from "../report/words.ts";
import type { Bench, Section } from "./section.ts";

interface Run {
  name: string;
  what: "hits" | "304s";
  round: number;
  perSecond: number;
  /** Milliseconds. */
  p50: number;
  p99: number;
  wrong: number;
}

const connections = 8;
const wantedBytes = 50_000;

export const cache: Section = async (bench) => {
  const tintype = (await bench.everybody()).find(({ name }) => name === "tintype");
  if (!tintype) throw new Error("unreachable: Tintype is always there");
  const { url, answer } = await cachedPicture(bench, tintype);
  const picture = join(bench.place.folder, "cached.jpeg");
  await writeFile(picture, answer.body);
  const bare = await startProgram("bare", bench.place, { PICTURE: picture });
  try {
    const address = `${bare.origin}/v1/screenshots/take`;
    const asked = [
      { name: "bare", url: address, headers: {}, etag: String((await ask(address, {})).headers.etag) },
      { name: "tintype", url, headers: tintype.headers, etag: String(answer.headers.etag) },
    ];
    const runs: Run[] = [];
    const seconds = Math.max(1, Math.round(bench.plan.sliceMs / 600));
    for (let round = 0; round < bench.plan.rounds; round += 1) {
      for (const what of ["hits", "304s"] as const)
        for (const { name, url, headers, etag } of asked) {
          const result = await autocannon({
            url,
            connections,
            duration: seconds,
            workers: 1, // a thread of its own
            headers: { ...headers, ...(what === "304s" ? { "if-none-match": etag } : {}) },
          });
          const right = what === "hits" ? result["2xx"] : (result.statusCodeStats?.["304"]?.count ?? 0);
          const { p50, p99 } = result.latency;
          runs.push({
            name,
            what,
            round,
            perSecond: right / result.duration,
            p50,
            p99,
            wrong: result.requests.total - right + result.errors,
          });
        }
      bench.say(`  round ${round + 1} of ${bench.plan.rounds}`);
    }
    return report(runs, answer.body.length);
  } finally {
    await bare.stop();
  }
};

/** An address that is answered from the cache, with a picture of about 50 kB. */
async function cachedPicture({ plan, site }: Bench, tintype: RunningContender): Promise<{ url: string; answer: Answer }> {
  const page = plan.timedPages.find(({ name }) => name === "blog") ?? plan.timedPages[0];
  const tries: { url: string; answer: Answer }[] = [];
  for (const quality of [90, 70, 50, 30, 15]) {
    const options = { url: site.url(page?.name ?? "simple", "fast"), is_cached: "true", quality: String(quality) };
    const url = `${tintype.origin}/v1/screenshots/take?${new URLSearchParams({ ...tintype.query, ...options })}`;
    // Twice: what is captured is in the cache when it is stored, a moment after the answer; `json` waits for that.
    await ask(`${url}&response_type=json`, tintype.headers);
    const answer = await ask(url, tintype.headers);
    if (answer.status === 200) tries.push({ url, answer });
  }
  const off = ({ answer }: { answer: Answer }) => Math.abs(answer.body.length - wantedBytes);
  const nearest = tries.toSorted((a, b) => off(a) - off(b))[0];
  if (!nearest) throw new Error("Tintype gave no picture to keep in the cache.");
  const again = await ask(nearest.url, tintype.headers);
  if (again.headers["x-cache"] !== "HIT") throw new Error(`The picture is not in the cache: ${again.status} ${again.headers["x-cache"]}.`);
  return { url: nearest.url, answer: again };
}

function report(runs: Run[], bytes: number) {
  const names = ["bare", "tintype"];
  const of = (name: string, what: string) => runs.filter((run) => run.name === name && run.what === what);
  const value = (name: string, what: string, which: "perSecond" | "p50" | "p99") => median(of(name, what).map((run) => run[which]));
  const toBare = (name: string, what: string) =>
    median(
      of(name, what).map((run) => run.perSecond / (of("bare", what).find(({ round }) => round === run.round)?.perSecond ?? Number.NaN)),
    );
  return {
    tables: [
      {
        title: `Answers from the cache, ${connections} at a time, a picture of ${number(bytes / 1000, 0)} kB`,
        columns: ["", "hits/s", "to bare", "p50 ms", "p99 ms", "304s/s", "to bare", "p50 ms", "p99 ms"],
        rows: names.map((name) => [
          name,
          ...["hits", "304s"].flatMap((what) => [
            number(value(name, what, "perSecond"), 0),
            ratio(toBare(name, what)),
            number(value(name, what, "p50"), 0),
            number(value(name, what, "p99"), 0),
          ]),
        ]),
      },
    ],
    charts: [],
    data: { bytes, runs },
    flaws: runs.filter(({ wrong }) => wrong > 0).map(({ name, what, wrong }) => `${name}, ${what}: ${wrong} wrong answers`),
  };
}
