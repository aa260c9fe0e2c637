/** Runs captures one after another, with real reservations. */

import { once } from "node:events";
import { v7 } from "uuid";
import type { ApiKey } from "../../../src/accounts/keys/caller.ts";
import type { Charge } from "../../../src/accounts/usage/charge.ts";

const image = {
  format: "png",
  width: 1280,
  height: 800,
  bytes: 50_000,
  durationMs: 900,
  title: "",
  verdict: "ok",
  verdictReason: null,
  targetStatus: 200,
  finalUrl: "https://example.com/",
  warnings: [],
  timings: {},
  objectKey: null,
};

/** Reserves and settles captures until `signal` aborts; every fifth one is refunded. `after(n)` resolves once `n` more have ended. */
export function captureUntil(signal: AbortSignal, charge: Charge, key: ApiKey) {
  const counts = { settled: 0, refunded: 0, slowestMs: 0 };
  const waiting = new EventTarget();
  const all = () => counts.settled + counts.refunded;
  const captureOne = async () => {
    const started = performance.now();
    const expiresAt = new Date(Date.now() + 7 * 86_400_000);
    const output = { id: v7(), url: "https://example.com/", options: {}, cacheKey: Buffer.alloc(32), reservedMs: 60_000, expiresAt };
    const [reserved] = await charge.reserve(key, [{ outputs: [output] }]);
    counts.slowestMs = Math.max(counts.slowestMs, performance.now() - started);
    const settling = performance.now();
    if (all() % 5 === 4) counts.refunded += Number(await charge.refund({ output: reserved.id, error: "refunded" }));
    else counts.settled += Number(await charge.settle(reserved, image));
    counts.slowestMs = Math.max(counts.slowestMs, performance.now() - settling);
    waiting.dispatchEvent(new Event("ended"));
  };
  const run = async () => {
    while (!signal.aborted) await captureOne();
    return counts;
  };
  return {
    ended: run(),
    async after(count: number): Promise<number> {
      const until = all() + count;
      while (all() < until) await once(waiting, "ended");
      return count;
    },
  };
}
