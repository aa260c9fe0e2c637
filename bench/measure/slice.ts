/** A period of load on one contender: its responses, their times, and the CPU time used. */

import { setTimeout as pause } from "node:timers/promises";
import { card } from "../contenders/host.ts";
import type { RunningContender } from "../contenders.ts";
import { type Answer, requestJson, requestScreenshot } from "./client.ts";
import { cpuOf } from "./process-tree.ts";

export interface Wanted {
  /** URL of the page. */
  url: string;
  options?: Record<string, string>;
  /** Sent in place of the page at `url`: a document, captured as a card in png. */
  html?: string;
}

export interface Slice {
  answers: Answer[];
  /** From the first request to the last response. */
  seconds: number;
  /** CPU seconds, including work after the last response: of all processes; of Node; of PostgreSQL and Redis. */
  cpu: number;
  nodeCpu: number;
  storesCpu: number;
}

let shots = 0;

/** Requests one screenshot. Every URL is unique, so no contender can use a cached or shared image. */
export function shoot(contender: RunningContender, { url, options = {}, html }: Wanted): Promise<Answer> {
  shots += 1;
  if (html !== undefined) {
    const body = { ...card, format: "png", html: `${html}<!-- ${shots} -->` };
    return requestJson(`${contender.origin}/v1/screenshots/take?${new URLSearchParams(contender.query)}`, contender.headers, body);
  }
  const query = new URLSearchParams({ ...contender.query, url: `${url}?shot=${shots}`, ...options });
  return requestScreenshot(`${contender.origin}/v1/screenshots/take?${query}`, contender.headers);
}

export interface Load {
  atOnce: number;
  /** How long new requests are started. Running requests are awaited. */
  ms: number;
  /** Pause of each caller between a response and its next request. Default: none. */
  restMs?: number;
}

export async function runSlice(contender: RunningContender, wanted: Wanted, { atOnce, ms, restMs = 0 }: Load): Promise<Slice> {
  const answers: Answer[] = [];
  const before = usage(contender);
  const since = performance.now();
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      do {
        answers.push(await shoot(contender, wanted));
        if (restMs > 0) await pause(restMs);
      } while (performance.now() - since < ms);
    }),
  );
  const seconds = (performance.now() - since) / 1000;
  await settled(contender);
  const after = usage(contender);
  return { answers, seconds, cpu: after.tree - before.tree, nodeCpu: after.own - before.own, storesCpu: after.stores - before.stores };
}

/** Duration of `work` in seconds, and CPU seconds including work after its end. */
export async function measured(contender: RunningContender, work: () => Promise<void>): Promise<{ seconds: number; cpu: number }> {
  const before = usage(contender);
  const since = performance.now();
  await work();
  const seconds = (performance.now() - since) / 1000;
  await settled(contender);
  return { seconds, cpu: usage(contender).tree - before.tree };
}

function usage(contender: RunningContender) {
  return { ...cpuOf(contender.pid), stores: contender.stores.reduce((sum, pid) => sum + cpuOf(pid).tree, 0) };
}

/** Waits, for at most a second, until work after the response is done, so that it doesn't burden the next contender. */
async function settled(contender: RunningContender): Promise<void> {
  let last = cpuOf(contender.pid).tree;
  for (let waited = 0; waited < 1000; waited += 100) {
    await pause(100);
    const now = cpuOf(contender.pid).tree;
    if (now - last <= 0.01) return;
    last = now;
  }
}
