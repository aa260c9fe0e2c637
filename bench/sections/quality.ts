/** Correctness of images: the share of pixels that differ from the reference. */

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { viewport } from "../contenders/host.ts";
import type { RunningContender } from "../contenders.ts";
import { type DecodedImage, decode, look, shareOff } from "../measure/images.ts";
import { shoot } from "../measure/slice.ts";
import { median } from "../measure/statistics.ts";
import { number, percent } from "../report/format.ts";
import type { Network } from "../site.ts";
import { type Flawed, flawsOf } from "./flaws.ts";
import type { Bench, Section } from "./section.ts";

interface Kind {
  name: string;
  network: Network;
  fullPage: boolean;
}

interface Judgement extends Flawed {
  kind: string;
  /** 1 if there is no image. */
  off: number;
  seconds: number;
}

const kinds: Kind[] = [
  { name: "viewport", network: "slow", fullPage: false },
  { name: "full page", network: "fast", fullPage: true },
];
/** Time doesn't matter here. */
const shotsAtOnce = 3;

export const quality: Section = async (bench) => {
  const contenders = await bench.allContenders();
  const references = await bench.references();
  const judgements: Judgement[] = [];
  const restless: Record<string, number> = {};
  for (const { name: page } of bench.plan.comparedPages) {
    for (const kind of kinds) {
      const pngs = references.get(page)?.[kind.fullPage ? "fullPage" : "viewport"] ?? [];
      const reference = await Promise.all(pngs.map(decode));
      const [first, second] = reference;
      if (first && second) restless[`${page}, ${kind.name}`] = shareOff(first, [second]);
      const left = [...contenders];
      await Promise.all(
        Array.from({ length: shotsAtOnce }, async () => {
          for (let next = left.shift(); next !== undefined; next = left.shift())
            judgements.push(await judge(bench, next, { page, kind, reference }));
        }),
      );
    }
    bench.print(`  ${page}`);
  }

  const names = contenders.map(({ name }) => name);
  const pages = bench.plan.comparedPages.map(({ name }) => name);
  const of = (name: string, kind: Kind) => judgements.filter((one) => one.contender === name && one.kind === kind.name);
  const worst = (some: Judgement[]) => some.toSorted((a, b) => b.off - a.off)[0]?.off ?? Number.NaN;
  const mean = (some: Judgement[]) => some.reduce((sum, { off }) => sum + off, 0) / some.length;
  const title: Record<string, string> = {
    viewport: "Pixels off from the settled page: the viewport, on a slow network",
    "full page": "Pixels off from the settled page: the full page",
  };
  return {
    tables: kinds.map((kind) => ({
      title: title[kind.name] ?? kind.name,
      columns: ["", "mean", "worst", ...pages, "seconds"],
      rows: names.map((name) => [
        name,
        percent(mean(of(name, kind))),
        percent(worst(of(name, kind))),
        ...pages.map((page) => percent(of(name, kind).find((one) => one.page === page)?.off ?? Number.NaN)),
        number(median(of(name, kind).map(({ seconds }) => seconds))),
      ]),
    })),
    charts: kinds.map((kind) => ({
      title: `Wrong pixels, ${kind.name}`,
      unit: "% that differ from the settled page, mean over the pages; shorter is better",
      bars: names.map((name) => ({ label: name, value: mean(of(name, kind)) * 100 })),
    })),
    data: { judgements, restless },
    flaws: flawsOf(judgements),
  };
};

async function judge(
  { place, site }: Bench,
  contender: RunningContender,
  { page, kind: { name: kind, network, fullPage }, reference }: { page: string; kind: Kind; reference: DecodedImage[] },
): Promise<Judgement> {
  const options = { format: "png", ...(fullPage ? { full_page: "true" } : {}) };
  const answer = await shoot(contender, { url: site.url(page, network), options });
  const { image, wrong } = await look(answer, { ...viewport, fullPage });
  if (image) await writeFile(join(place.pictures, `${page}-${kind.replace(" ", "-")}-${contender.name}.png`), answer.body);
  return {
    contender: contender.name,
    page,
    kind,
    off: image ? shareOff(image, reference) : 1,
    seconds: answer.ms / 1000,
    flaws: wrong === undefined ? [] : [wrong],
  };
}
