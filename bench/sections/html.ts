/** A document sent by the caller, such as a blog card: captures per second, and the time of each. */

import { card } from "../contenders/host.ts";
import { namesWithAgainst } from "../contenders.ts";
import { look } from "../measure/images.ts";
import { runSlice, type Slice } from "../measure/slice.ts";
import { median, percentile } from "../measure/statistics.ts";
import { number, ratio } from "../report/format.ts";
import { type Flawed, flawsOf } from "./flaws.ts";
import { ratioToRaw } from "./ratio.ts";
import type { Section } from "./section.ts";
import { inTurn } from "./turns.ts";

const shown = ["raw", "tintype", "playwright", "puppeteer-cluster"];

const html = `<!doctype html><meta charset="utf-8"><style>
  body { margin: 0; width: 1200px; height: 630px; box-sizing: border-box; padding: 72px; display: flex; flex-direction: column; justify-content: space-between;
    font: 30px/1.4 system-ui, sans-serif; color: #f4f1ea; background: linear-gradient(135deg, #1d2b3a, #3c6e71 70%, #d9a441) }
  h1 { margin: 0; font-size: 76px; line-height: 1.1; letter-spacing: -1px } p { margin: 24px 0 0; opacity: .85 }
  footer { display: flex; align-items: center; gap: 20px } b { font-weight: 600 } svg { border-radius: 50% }
  .tags { margin-left: auto; display: flex; gap: 12px } .tags i { font-style: normal; padding: 4px 18px; border: 1px solid #fff8; border-radius: 99px }
</style><header><h1>What a screenshot costs, and who pays for it</h1><p>Measured on two cores with a dozen pages, a slow network and no mercy.</p></header>
<footer><svg width="64" height="64" viewBox="0 0 64 64"><rect width="64" height="64" fill="#d9a441"/><circle cx="32" cy="26" r="12" fill="#1d2b3a"/><path d="M8 64a24 24 0 0 1 48 0" fill="#1d2b3a"/></svg>
<span><b>Ada Meyer</b> · 12 March</span><span class="tags"><i>speed</i><i>browsers</i></span></footer>`;

interface Turn extends Flawed {
  network: string;
  round: number;
  rate: number;
  /** CPU seconds per capture, of all processes and of Node. */
  cpu: number;
  nodeCpu: number;
  latencies: number[];
}

export const htmlCards: Section = async (bench) => {
  const names = namesWithAgainst(shown, bench.place);
  const contenders = (await bench.allContenders()).filter(({ name }) => names.includes(name));
  const turns: Turn[] = [];
  for (let round = 0; round < bench.plan.rounds; round += 1) {
    for (const contender of inTurn(contenders, round)) {
      if (round === 0) await runSlice(contender, { url: "", html }, { atOnce: 2, ms: 0 }); // warm-up
      const many = await runSlice(contender, { url: "", html }, { atOnce: 4, ms: bench.plan.sliceMs });
      const single = await runSlice(contender, { url: "", html }, { atOnce: 1, ms: bench.plan.sliceMs });
      const flaws = [...(await flawsIn(many)), ...(await flawsIn(single))];
      const latencies = single.answers.map(({ ms }) => ms);
      const [rate, cpu, nodeCpu] = [many.answers.length / many.seconds, many.cpu / many.answers.length, many.nodeCpu / many.answers.length];
      turns.push({ contender: contender.name, page: "card", network: "", round, rate, cpu, nodeCpu, latencies, flaws });
    }
    bench.print(`  round ${round + 1} of ${bench.plan.rounds}`);
  }
  const rows = names.map((name) => {
    const own = turns.filter(({ contender }) => contender === name);
    const latencies = own.flatMap((turn) => turn.latencies);
    return [
      name,
      number(median(own.map(({ rate }) => rate)), 1),
      ratio(ratioToRaw(turns, name, ({ rate }) => rate)),
      number(median(own.map(({ cpu }) => cpu)), 3),
      number(median(own.map(({ nodeCpu }) => nodeCpu)), 3),
      number(percentile(latencies, 50), 0),
      number(percentile(latencies, 95), 0),
      ratio(ratioToRaw(turns, name, (turn) => median(turn.latencies))),
    ];
  });
  return {
    tables: [
      {
        title: `HTML of the caller as a png of ${card.width} × ${card.height}: captures a second and processor time, four at a time; milliseconds, one at a time`,
        columns: ["", "a second", "to raw", "CPU seconds", "Node's part", "p50", "p95", "p50 to raw"],
        rows,
      },
    ],
    charts: [],
    data: turns,
    flaws: flawsOf(turns),
  };
};

async function flawsIn({ answers }: Slice): Promise<string[]> {
  const looked = await Promise.all(answers.map((answer) => look(answer, { ...card, fullPage: false })));
  return looked.flatMap(({ wrong }) => wrong ?? []);
}
