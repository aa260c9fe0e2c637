/** Five outputs from one load compared with five captures: CPU time, duration, and whether the images are the same. */

import { type RunningContender, startTintype } from "../contenders.ts";
import { type Answer, requestJson, requestScreenshot } from "../measure/client.ts";
import { decode, shareOff } from "../measure/images.ts";
import { measured, shoot } from "../measure/slice.ts";
import { median } from "../measure/statistics.ts";
import { percent, ratio } from "../report/format.ts";
import { type Flawed, failuresOf, flawsOf } from "./flaws.ts";
import type { Section } from "./section.ts";

const window = { width: "1280", height: "720", format: "png" };
const outputs: Record<string, string>[] = [
  window,
  { ...window, prefers_color_scheme: "dark" },
  { ...window, width: "390" },
  { ...window, full_page: "true" },
  { ...window, image_width: "320" },
];
const names = ["desktop", "dark", "390 px", "full page", "card"];

interface Cost {
  seconds: number;
  cpu: number;
}

interface Pair {
  page: string;
  single: Cost;
  together: Cost;
  loads: number;
  /** Share of differing pixels, by output. */
  off: number[];
}

export const outputsOfOneLoad: Section = async (bench) => {
  await bench.stopContenders();
  const tintype = await startTintype(bench.place);
  const pairs: Pair[] = [];
  const flawed: Flawed[] = [];
  try {
    for (const { name: page } of bench.plan.comparedPages) {
      const url = bench.site.url(page, "fast");
      await shoot(tintype, { url }); // warm-up
      for (let round = 0; round < bench.plan.rounds; round += 1) {
        const alone: Answer[] = [];
        const single = await measured(tintype, async () => {
          for (const options of outputs) alone.push(await shoot(tintype, { url, options }));
        });
        let answer: Answer | undefined;
        const together = await measured(tintype, async () => {
          answer = await capture(tintype, `${url}?round=${round}`);
        });
        const { loads = 0, files = [] } = answer ? await filesOf(answer) : {};
        flawed.push(failuresOf("tintype", page, [...alone, ...(answer ? [answer] : []), ...files]));
        pairs.push({ page, single, together, loads, off: await differences(alone, files) });
      }
      bench.print(`  ${page}: ${pairs.at(-1)?.off.map(percent).join(" ")}`);
    }
  } finally {
    await tintype.stop();
  }
  const of = (page: string, figure: (pair: Pair) => number) => median(pairs.filter((pair) => pair.page === page).map(figure));
  const time = (page: string) => of(page, ({ single, together }) => together.seconds / single.seconds);
  const cpu = (page: string) => of(page, ({ single, together }) => together.cpu / single.cpu);
  const pages = bench.plan.comparedPages.map(({ name }) => name);
  const rows = pages.map((page) => [
    page,
    ratio(time(page)),
    ratio(cpu(page)),
    String(of(page, ({ loads }) => loads)),
    ...names.map((_, index) => percent(of(page, ({ off }) => off[index] ?? Number.NaN))),
  ]);
  return {
    tables: [
      {
        title: "Five outputs from one load, as a share of five captures; and the pixels in which they differ from these",
        columns: ["", "time", "CPU", "loads", ...names],
        rows: [...rows, ["median", ratio(median(pages.map(time))), ratio(median(pages.map(cpu))), "", ...names.map(() => "")]],
      },
    ],
    charts: [],
    data: pairs,
    flaws: flawsOf(flawed),
  };
};

function capture({ origin, query, headers }: RunningContender, url: string): Promise<Answer> {
  return requestJson(`${origin}/v1/captures?${new URLSearchParams(query)}`, headers, { url, outputs });
}

interface Made {
  url?: string | null;
  error?: object;
}

async function filesOf({ status, body }: Answer): Promise<{ loads: number; files: Answer[] }> {
  if (status !== 200) return { loads: 0, files: [] };
  const { loads, outputs: made } = JSON.parse(body.toString()) as { loads: number; outputs: Made[] };
  const missing = { status: 0, headers: {}, ms: 0 };
  const file = async ({ url, error }: Made) =>
    url ? await requestScreenshot(url, {}) : { ...missing, body: Buffer.from(JSON.stringify(error ?? "not stored")) };
  return { loads, files: await Promise.all(made.map(file)) };
}

async function differences(alone: Answer[], files: Answer[]): Promise<number[]> {
  const pairs = alone.map(async (answer, index) =>
    shareOff(await decode(files[index]?.body ?? Buffer.alloc(0)), [await decode(answer.body)]),
  );
  return (await Promise.allSettled(pairs)).map((share) => (share.status === "fulfilled" ? share.value : 1));
}
