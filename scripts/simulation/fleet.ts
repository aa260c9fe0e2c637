/** Simulates workers with the service's real queue behind a load balancer, on a virtual clock. */

import { createQueue, type Queue } from "../../src/browser/queue.ts";
import { arrivalsOf, greedy, greedyHours, randomFrom, takesMs } from "./day.ts";
import { createVirtualTime } from "./virtual-time.ts";

export interface Plan {
  /** Captures per second of all accounts except the greedy one: the mean over the day, not counting bursts. */
  perSecond: number;
  hourMs: number;
  hasBursts: boolean;
  /** Concurrent captures per worker. */
  slots: number;
  workers: number;
  hasGreedy: boolean;
  scaling?: Scaling;
}

export interface Scaling {
  metric: "queued + running" | "queued";
  max: number;
}

export interface Outcome {
  captures: number;
  refused: number;
  /** Queueing time of each capture that ran, in milliseconds. */
  waits: { others: number[]; greedy: number[] };
  /** Queueing times of the other accounts during the greedy account's hours, whether or not that account is simulated. */
  othersThen: number[];
  greedyRefused: number;
  /** Utilization of all slots over the day, 0 to 1. */
  used: number;
  workerHours: number;
  /** One per minute, or fewer in a compressed day. */
  samples: { atMs: number; workers: number; running: number; queued: number }[];
}

interface Worker {
  queue: Queue;
  readyAt: number;
  isLeaving: boolean;
}

/** The service's defaults: `MAX_QUEUED_SCREENSHOTS`, and half of `SCREENSHOT_TIMEOUT`. */
const queuedPerSlot = 8;
const waitMaxMs = 15_000;
/** The Helm chart's defaults. */
const usedPercent = 80;
const scaleEveryMs = 15_000;
const downEveryMs = 60_000;
const stabilizationMs = 300_000;
const downShare = 0.1;
/** Assumes that a node with the image is available. */
const podStartMs = 20_000;
const greedyPauseMs = 2_000;

export async function simulate(plan: Plan): Promise<Outcome> {
  const { hourMs, slots } = plan;
  const time = createVirtualTime();
  const random = randomFrom(1);
  const never = new AbortController().signal;
  const dayMs = 24 * hourMs;
  const outcome: Outcome = {
    captures: 0,
    refused: 0,
    waits: { others: [], greedy: [] },
    othersThen: [],
    greedyRefused: 0,
    used: 0,
    workerHours: 0,
    samples: [],
  };
  let workers: Worker[] = [];
  let [busyMs, workerMs, countedAt] = [0, 0, 0];

  const add = (readyAt: number) => {
    const queue = createQueue({ runningMax: slots, queueMax: queuedPerSlot * slots, waitMaxMs });
    workers.push({ queue, readyAt, isLeaving: false });
  };
  const present = () => workers.filter(({ isLeaving }) => !isLeaving);
  const loadOf = ({ queue }: Worker) => queue.running() + queue.waiting();
  const sum = (of: (queue: Queue) => number) => workers.reduce((total, { queue }) => total + of(queue), 0);
  const count = () => {
    workerMs += workers.length * (time.now() - countedAt);
    countedAt = time.now();
  };

  /** The load balancer's choice: the worker with the fewest captures. */
  const leastLoaded = () => {
    let best: Worker | undefined;
    for (const worker of workers)
      if (!worker.isLeaving && worker.readyAt <= time.now() && (!best || loadOf(worker) < loadOf(best))) best = worker;
    return best;
  };

  /** @returns whether the capture ran, rather than being refused. */
  const capture = async (account: string, ms: number): Promise<boolean> => {
    const arrivedAt = time.now();
    const isGreedy = account === greedy;
    outcome.captures += 1;
    try {
      const leave = await (leastLoaded() as Worker).queue.enter(account, never);
      const waitedMs = time.now() - arrivedAt;
      outcome.waits[isGreedy ? "greedy" : "others"].push(waitedMs);
      const hour = arrivedAt / hourMs;
      if (!isGreedy && hour >= greedyHours.from && hour < greedyHours.to) outcome.othersThen.push(waitedMs);
      busyMs += ms;
      await new Promise<void>((resolve) => time.at(time.now() + ms, resolve));
      leave();
      return true;
    } catch {
      if (isGreedy) outcome.greedyRefused += 1;
      else outcome.refused += 1;
      return false;
    }
  };

  const arrivals = arrivalsOf(plan, randomFrom(2));
  const next = () => {
    const { value } = arrivals.next();
    if (!value) return;
    time.at(value.atMs, () => {
      void capture(value.account, value.takesMs);
      next();
    });
  };

  /** One of the greedy account's clients: sends one request after another. */
  const insist = async () => {
    while (time.now() < greedyHours.to * hourMs)
      if (!(await capture(greedy, takesMs(random)))) await new Promise<void>((resolve) => time.at(time.now() + greedyPauseMs, resolve));
  };

  const wished: { atMs: number; count: number }[] = [];
  let downAt = 0;
  const scale = ({ metric, max }: Scaling) => {
    const wanted = sum((queue) => queue.waiting()) + (metric === "queued" ? 0 : sum((queue) => queue.running()));
    const wish = Math.min(max, Math.max(plan.workers, Math.ceil(wanted / ((slots * usedPercent) / 100))));
    wished.push({ atMs: time.now(), count: wish });
    while ((wished[0]?.atMs ?? 0) < time.now() - stabilizationMs) wished.shift();
    const current = present().length;
    count();
    for (let more = Math.min(wish, 2 * current) - current; more > 0; more -= 1) add(time.now() + podStartMs);
    const stable = Math.max(...wished.map((one) => one.count));
    if (stable < current && time.now() >= downAt) {
      downAt = time.now() + downEveryMs;
      for (const leaving of present().slice(Math.max(stable, Math.floor(current * (1 - downShare))))) leaving.isLeaving = true;
    }
    workers = workers.filter((worker) => !worker.isLeaving || loadOf(worker) > 0);
    time.at(time.now() + scaleEveryMs, () => scale({ metric, max }));
  };

  const sampleEveryMs = hourMs / 60;
  const sample = () => {
    const [running, queued] = [sum((queue) => queue.running()), sum((queue) => queue.waiting())];
    outcome.samples.push({ atMs: time.now(), workers: present().length, running, queued });
    time.at(time.now() + sampleEveryMs, sample);
  };

  for (let made = 0; made < plan.workers; made += 1) add(0);
  next();
  time.at(0, sample);
  const { scaling } = plan;
  if (scaling) time.at(scaleEveryMs, () => scale(scaling));
  if (plan.hasGreedy) time.at(greedyHours.from * hourMs, () => void Array.from({ length: plan.workers * slots }, insist));
  await time.run(dayMs);
  count();
  outcome.used = busyMs / (workerMs * slots);
  outcome.workerHours = workerMs / hourMs;
  return outcome;
}

/** @param share such as 0.99. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
}
