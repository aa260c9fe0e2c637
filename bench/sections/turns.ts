/** Gives every contender a turn with every page in each round, and checks every image. */

import { viewport } from "../contenders/host.ts";
import { type DecodedImage, decode, look, shareOff } from "../measure/images.ts";
import { type Load, runSlice, type Slice } from "../measure/slice.ts";
import { median } from "../measure/statistics.ts";
import type { Network } from "../site.ts";
import type { Flawed } from "./flaws.ts";
import type { Bench } from "./section.ts";

export interface Cell {
  page: string;
  network: Network;
}

/** One contender's turn with one page. */
export interface Turn extends Flawed {
  network: Network;
  round: number;
  /** Number of good images. */
  captures: number;
  seconds: number;
  /** Milliseconds of each good image. */
  latencies: number[];
  cpu: number;
  nodeCpu: number;
  storesCpu: number;
  /** Median share of differing pixels in the compared images. */
  off: number;
}

/** Number of images per turn that are compared with the reference. All are decoded and checked. */
const compared = 4;

export async function takeTurns(bench: Bench, cells: Cell[], load: Load): Promise<Turn[]> {
  const { plan, site } = bench;
  const contenders = await bench.allContenders();
  const references = await bench.references();
  const turns: Turn[] = [];
  for (let round = 0; round < plan.rounds; round += 1) {
    for (const { page, network } of cells) {
      const reference = await Promise.all((references.get(page)?.viewport ?? []).map(decode));
      for (const contender of inTurn(contenders, round)) {
        const url = site.url(page, network);
        if (round === 0) await runSlice(contender, { url }, { ...load, ms: 0 }); // warm-up
        const slice = await runSlice(contender, { url }, load);
        turns.push({ contender: contender.name, page, network, round, ...(await judged(slice, reference)) });
      }
      bench.print(`  round ${round + 1} of ${plan.rounds}: ${page}${network === "slow" ? ", slow network" : ""}`);
    }
  }
  return turns;
}

/** Rotates the order from round to round, so that no position is an advantage. */
export function inTurn<One>(all: One[], round: number): One[] {
  const first = round % all.length;
  return [...all.slice(first), ...all.slice(0, first)];
}

async function judged({ answers, ...slice }: Slice, reference: DecodedImage[]) {
  const flaws: string[] = [];
  const latencies: number[] = [];
  const offs: number[] = [];
  for (const answer of answers) {
    const { image, wrong } = await look(answer, { ...viewport, fullPage: false });
    if (wrong !== undefined) {
      flaws.push(wrong);
      continue;
    }
    latencies.push(answer.ms);
    if (image && offs.length < compared) offs.push(shareOff(image, reference));
  }
  const { seconds, cpu, nodeCpu, storesCpu } = slice;
  return { captures: latencies.length, latencies, seconds, cpu, nodeCpu, storesCpu, off: median(offs), flaws };
}
