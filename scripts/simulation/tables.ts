/** Generates the simulation's tables in docs/scaling.md. */

import { meanTakesMs } from "./day.ts";
import { type Outcome, type Plan, quantile, type Scaling, simulate } from "./fleet.ts";

export const slots = 4;
/** Mean utilization of a fleet's slots over the day. */
const meanUse = 0.5;
/** An hour of a fleet's compressed day. Captures are not compressed. */
const shortHourMs = 120_000;
export const wholeHourMs = 3_600_000;

export function fleetPlan(workers: number, hasGreedy: boolean, hourMs = shortHourMs): Plan {
  return { workers, slots, hasGreedy, hasBursts: true, hourMs, perSecond: (meanUse * workers * slots * 1000) / meanTakesMs };
}

/** Scales from 2 to 200 workers; without bursts, 8.5 slots are in use on average. */
export function scaledPlan(metric: Scaling["metric"], hasBursts: boolean): Plan {
  return { workers: 2, slots, hasGreedy: false, hasBursts, hourMs: wholeHourMs, perSecond: 3, scaling: { metric, max: 200 } };
}

const seconds = (values: readonly number[], share: number) => (quantile(values, share) / 1000).toFixed(1);
const percent = (part: number, whole: number) => `${((100 * part) / whole).toFixed(2)} %`;
const thousands = (value: number) => value.toLocaleString("en");

export async function fleetRow(workers: number): Promise<string> {
  const calm = await simulate(fleetPlan(workers, false));
  const busy = await simulate(fleetPlan(workers, true));
  const others = busy.waits.others.length + busy.refused;
  const cells = [
    thousands(workers),
    thousands(others),
    percent(calm.refused, calm.captures),
    percent(busy.refused, others),
    `${seconds(calm.othersThen, 0.5)} / ${seconds(calm.othersThen, 0.95)}`,
    `${seconds(busy.othersThen, 0.5)} / ${seconds(busy.othersThen, 0.95)}`,
    `${seconds(busy.waits.greedy, 0.5)} / ${seconds(busy.waits.greedy, 0.95)}`,
  ];
  return `| ${cells.join(" | ")} |`;
}

export const fleetHead = [
  "| workers | captures of others | refused, without the greedy account | with it | wait of others 9–11 h, p50 / p95 s, without | with | the greedy account's |",
  "| ------: | -: | -: | -: | -: | -: | -: |",
];

export function scaledRow(name: string, { captures, refused, waits, used, workerHours, samples }: Outcome): string {
  const long = waits.others.filter((ms) => ms > 5_000).length;
  const cells = [
    name,
    thousands(captures),
    percent(refused, captures),
    percent(long, captures),
    seconds(waits.others, 0.99),
    String(Math.max(...samples.map(({ workers }) => workers))),
    workerHours.toFixed(0),
    percent(used, 1),
  ];
  return `| ${cells.join(" | ")} |`;
}

export const scaledHead = [
  "| scaled by | captures | refused | waited over 5 s | p99 s | most workers | worker-hours | slots used |",
  "| --------- | -: | -: | -: | -: | -: | -: | -: |",
];
