/** What an option costs: the same page without and with it, in turn. */

import { decode } from "../measure/pictures.ts";
import { runSlice } from "../measure/slice.ts";
import { median } from "../measure/statistics.ts";
import { number, ratio } from "../report/words.ts";
import type { Section } from "./section.ts";

interface Feature {
  name: string;
  options: Record<string, string>;
  page?: string;
}

/** The first changes nothing: its ratio is the noise of the others. */
const features: Feature[] = [
  { name: "nothing", options: {} },
  { name: "headers", options: { headers: "X-Bench: 1" } },
  { name: "cookies", options: { cookies: "bench=1" } },
  { name: "user_agent", options: { user_agent: "Mozilla/5.0 (bench)" } },
  { name: "prefers_color_scheme=dark", options: { prefers_color_scheme: "dark" } },
  { name: "bypass_csp", options: { bypass_csp: "true" } },
  { name: "block_ads", options: { block_ads: "true" } },
  { name: "block_ads, trackers, cookie banners", options: { block_ads: "true", block_trackers: "true", block_cookie_banners: "true" } },
  { name: "block_resources=font", options: { block_resources: "font" } },
  { name: "hide_selectors", options: { hide_selectors: "footer" } },
  { name: "time_zone", options: { time_zone: "Europe/Berlin" } },
  { name: "wait_for_selector", options: { wait_for_selector: "body" } },
  { name: "selector", options: { selector: "header" } },
  { name: "full_page", options: { full_page: "true" } },
  { name: "device_scale_factor=2", options: { device_scale_factor: "2" } },
  { name: "format=png", options: { format: "png" } },
  { name: "format=webp", options: { format: "webp" } },
  { name: "is_cached, not yet stored", options: { is_cached: "true" } },
];

interface Pair {
  feature: string;
  round: number;
  /** Of the two turns: median milliseconds and processor seconds each. */
  without: { ms: number; cpu: number };
  with: { ms: number; cpu: number };
}

export const featureCosts: Section = async (bench) => {
  const tintype = (await bench.everybody()).find(({ name }) => name === "tintype");
  if (!tintype) throw new Error("unreachable: Tintype is always there");
  const page = bench.plan.timedPages.find(({ name }) => name === "blog") ?? bench.plan.timedPages[0];
  const url = bench.site.url(page?.name ?? "simple", "fast");
  const pairs: Pair[] = [];
  const flaws = new Set<string>();
  const unknown = new Set<string>();

  async function turn(options: Record<string, string>) {
    const { answers, cpu } = await runSlice(
      tintype as NonNullable<typeof tintype>,
      { url, options },
      { atOnce: 1, ms: bench.plan.sliceMs / 2 },
    );
    const good = answers.filter(({ status }) => status === 200);
    for (const { status, body } of answers)
      if (status !== 200) flaws.add(`tintype, ${JSON.stringify(options)}: ${status} ${body.toString().slice(0, 200)}`);
    if (good[0]) await decode(good[0].body);
    return { ms: median(good.map(({ ms }) => ms)), cpu: cpu / good.length, warnings: String(good[0]?.headers["x-warnings"] ?? "") };
  }

  for (const { name, options } of features) {
    const { warnings } = await turn(options);
    if (Object.keys(options).some((option) => warnings.includes(option))) unknown.add(name);
  }
  for (let round = 0; round < bench.plan.rounds; round += 1) {
    for (const { name, options } of features) {
      if (unknown.has(name)) continue;
      const without = await turn({});
      pairs.push({ feature: name, round, without, with: await turn(options) });
    }
    bench.say(`  round ${round + 1} of ${bench.plan.rounds}`);
  }

  const rows = features.map(({ name }) => {
    if (unknown.has(name)) return [name, "not in this version", "", ""];
    const of = pairs.filter(({ feature }) => feature === name);
    const more = median(of.map((pair) => pair.with.ms - pair.without.ms));
    return [
      name,
      `${more < 0 ? "" : "+"}${number(more, 0)}`,
      ratio(median(of.map((pair) => pair.with.ms / pair.without.ms))),
      ratio(median(of.map((pair) => pair.with.cpu / pair.without.cpu))),
    ];
  });
  return {
    tables: [{ title: `What an option costs, one at a time (page: ${page?.name})`, columns: ["", "ms more", "time", "processor"], rows }],
    charts: [],
    data: pairs,
    flaws: [...flaws],
  };
};
