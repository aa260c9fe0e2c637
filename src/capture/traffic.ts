/** Counts the page's pending requests from the moment it is called. */

import type { Target } from "../browser/tab.ts";

export interface Traffic {
  /** Number of requests so far, finished or not. */
  begun(): number;
  /** Resolves when none is pending. */
  none(): Promise<void>;
}

/** Streams, beacons and the like: not worth waiting for. */
const endless = new Set(["Media", "EventSource", "WebSocket", "Ping", "Prefetch", "CSPViolationReport"]);

/** @param patienceMs after which a request no longer counts as pending. */
export async function watchTraffic(tab: Target, patienceMs?: number): Promise<Traffic> {
  const underWay = new Set<string>();
  let begun = 0;
  let waiting: (() => void)[] = [];
  const settle = () => {
    if (underWay.size > 0) return;
    for (const resolve of waiting) resolve();
    waiting = [];
  };
  const end = ({ requestId }: { requestId: string }) => {
    if (underWay.delete(requestId)) settle();
  };
  tab.on("Network.requestWillBeSent", ({ requestId, type }) => {
    if (endless.has(type ?? "")) return;
    begun += 1;
    underWay.add(requestId);
    if (patienceMs !== undefined) setTimeout(end, patienceMs, { requestId }).unref();
  });
  tab.on("Network.loadingFinished", end);
  tab.on("Network.loadingFailed", end);
  // The bodies are not needed, so Chromium need not buffer them.
  await tab.send("Network.enable", { maxTotalBufferSize: 1, maxResourceBufferSize: 1 });
  return {
    begun: () => begun,
    none: () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      waiting.push(resolve);
      settle();
      return promise;
    },
  };
}
