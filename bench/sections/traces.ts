/** What traces cost: the same service without and with a collector, alternating. */

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type RunningContender, startTintype } from "../contenders.ts";
import { runSlice } from "../measure/slice.ts";
import { median } from "../measure/statistics.ts";
import { number, ratio } from "../report/format.ts";
import { type Flawed, failuresOf, flawsOf } from "./flaws.ts";
import { onePage, type Section } from "./section.ts";
import { inTurn } from "./turns.ts";

/** More rounds than elsewhere, because the difference is small. */
const roundsTimes = 5;

/** CPU seconds per capture for one page in one round. */
interface Pair {
  page: string;
  cpu: Record<string, number>;
  nodeCpu: Record<string, number>;
}

export const traceCosts: Section = async (bench) => {
  await bench.stopContenders();
  await using parts = new AsyncDisposableStack();
  const collector = createServer((request, response) => request.resume().once("end", () => response.end()));
  await new Promise<void>((resolve) => collector.listen(0, "127.0.0.1", resolve));
  parts.defer(() => void collector.close());
  const { port } = collector.address() as AddressInfo;
  const started = async (settings: Record<string, string>): Promise<RunningContender> => {
    const running = await startTintype(bench.place, settings);
    parts.defer(() => running.stop());
    return running;
  };
  const both = { without: await started({}), with: await started({ OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}` }) };

  const pages = [...new Set(["simple", onePage(bench.plan)])];
  const pairs: Pair[] = [];
  const flawed: Flawed[] = [];
  for (let round = 0; round < bench.plan.rounds * roundsTimes; round += 1) {
    for (const page of pages) {
      const pair: Pair = { page, cpu: {}, nodeCpu: {} };
      for (const name of inTurn(["without", "with"] as const, round)) {
        const wanted = { url: bench.site.url(page, "fast") };
        if (round === 0) await runSlice(both[name], wanted, { atOnce: 2, ms: 0 }); // warm-up
        const { answers, cpu, nodeCpu } = await runSlice(both[name], wanted, { atOnce: 2, ms: bench.plan.sliceMs });
        pair.cpu[name] = cpu / answers.length;
        pair.nodeCpu[name] = nodeCpu / answers.length;
        flawed.push(failuresOf(name, page, answers));
      }
      pairs.push(pair);
    }
    bench.print(`  round ${round + 1} of ${bench.plan.rounds * roundsTimes}`);
  }
  const rows = pages.map((page) => {
    const own = pairs.filter((pair) => pair.page === page);
    const ratios = (of: (pair: Pair) => Record<string, number>) =>
      median(own.map((pair) => (of(pair).with ?? 0) / (of(pair).without ?? 1)));
    const seconds = (name: string) => number(median(own.map(({ cpu }) => cpu[name] ?? 0)), 3);
    return [page, seconds("without"), seconds("with"), ratio(ratios(({ cpu }) => cpu)), ratio(ratios(({ nodeCpu }) => nodeCpu))];
  });
  const title = "Processor seconds for a capture without and with traces; the ratios are medians of pairs";
  const columns = ["", "without", "with", "ratio", "ratio of Node's part"];
  return { tables: [{ title, columns, rows }], charts: [], data: pairs, flaws: flawsOf(flawed) };
};
