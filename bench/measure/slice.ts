/** A stretch of load on one contender: its answers, how long they took, and the processor time that went into them. */

import { setTimeout as pause } from "node:timers/promises";
import type { RunningContender } from "../contenders.ts";
import { type Answer, ask } from "./client.ts";
import { cpuOf } from "./process-tree.ts";

export interface Wanted {
  /** Address of the page. */
  url: string;
  options?: Record<string, string>;
}

export interface Slice {
  answers: Answer[];
  /** From the first request to the last answer. */
  seconds: number;
  /** Processor seconds of all processes, with what was left to do after the last answer; of Node alone; of PostgreSQL and Redis. */
  cpu: number;
  nodeCpu: number;
  storesCpu: number;
}

let shots = 0;

/** Asks for one picture. Every address is new, so that nobody can answer with an earlier picture or share one. */
export function shoot(contender: RunningContender, { url, options = {} }: Wanted): Promise<Answer> {
  shots += 1;
  const query = new URLSearchParams({ ...contender.query, url: `${url}?shot=${shots}`, ...options });
  return ask(`${contender.origin}/v1/screenshots/take?${query}`, contender.headers);
}

export interface Load {
  atOnce: number;
  /** How long new requests are made; those that run then are waited for. */
  ms: number;
  /** Pause of each caller between an answer and the next request; none unless given. */
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

function usage(contender: RunningContender) {
  return { ...cpuOf(contender.pid), stores: contender.stores.reduce((sum, pid) => sum + cpuOf(pid).tree, 0) };
}

/** Waits until what follows an answer is done, so that it doesn't burden the next in turn; a second at most. */
async function settled(contender: RunningContender): Promise<void> {
  let last = cpuOf(contender.pid).tree;
  for (let waited = 0; waited < 1000; waited += 100) {
    await pause(100);
    const now = cpuOf(contender.pid).tree;
    if (now - last <= 0.01) return;
    last = now;
  }
}
