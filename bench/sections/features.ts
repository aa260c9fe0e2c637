/** The cost of an option: the same page without and with it, alternating. */

import { refusal } from "../measure/client.ts";
import { decode } from "../measure/images.ts";
import { runSlice } from "../measure/slice.ts";
import { median } from "../measure/statistics.ts";
import { number, ratio } from "../report/format.ts";
import { type Flawed, flawsOf } from "./flaws.ts";
import { onePage, type Section, tintypeOf } from "./section.ts";
import { inTurn } from "./turns.ts";

interface Feature {
  name: string;
  options: Record<string, string>;
}

/** The first option changes nothing: its ratio shows the noise. */
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

/** Median milliseconds and CPU seconds per capture in a turn. */
interface Cost {
  ms: number;
  cpu: number;
}

interface Pair {
  feature: string;
  round: number;
  without: Cost;
  with: Cost;
}

const none: Cost = { ms: Number.NaN, cpu: Number.NaN };

export const featureCosts: Section = async (bench) => {
  const tintype = await tintypeOf(bench);
  const page = onePage(bench.plan);
  const url = bench.site.url(page, "fast");
  const pairs: Pair[] = [];
  const flawed: Flawed[] = [];

  async function turn(name: string, options: Record<string, string>): Promise<Cost> {
    const { answers, cpu } = await runSlice(tintype, { url, options }, { atOnce: 1, ms: bench.plan.sliceMs / 2 });
    const good = answers.filter(({ status }) => status === 200);
    const flaws = answers.flatMap((answer) => refusal(answer) ?? answer.headers["x-warnings"] ?? []);
    await decode(good[0]?.body ?? Buffer.alloc(0)).catch(() => flaws.push("no image"));
    flawed.push({ contender: "tintype", page: name, flaws });
    return { ms: median(good.map(({ ms }) => ms)), cpu: cpu / good.length };
  }

  // Warm-up. An unknown option would be an error.
  for (const { name, options } of features) await turn(name, { ...options, strict: "true" });
  for (let round = 0; round < bench.plan.rounds; round += 1) {
    for (const { name, options } of features) {
      const costs = { without: none, with: none };
      for (const which of inTurn(["without", "with"] as const, round)) costs[which] = await turn(name, which === "with" ? options : {});
      pairs.push({ feature: name, round, ...costs });
    }
    bench.print(`  round ${round + 1} of ${bench.plan.rounds}`);
  }

  const rows = features.map(({ name }) => {
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
    tables: [{ title: `Cost of an option, one capture at a time (page: ${page})`, columns: ["", "ms more", "time", "CPU"], rows }],
    charts: [],
    data: pairs,
    flaws: flawsOf(flawed),
  };
};
