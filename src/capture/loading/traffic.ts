/** Counts a page's pending requests, optionally including those of its workers and frames. */

import type { Target } from "../../browser/children.ts";

export interface PageTraffic {
  /** Number of requests so far, finished or not, except streams, beacons and similar requests. */
  startedCount(): number;
  /** Number of requests canceled by the page itself, such as those for images that have left the window. */
  canceledCount(): number;
  /** Resolves when no request is pending. */
  none(): Promise<void>;
}

/** Streams, beacons and similar requests, which are ignored because they aren't worth waiting for. */
const endless = new Set(["Media", "EventSource", "WebSocket", "Ping", "Prefetch", "CSPViolationReport"]);

/** Targets that keep response bodies; enabling the Network domain again would discard them. */
const keeping = new WeakSet<object>();

/**
 * Makes Chromium report the target's requests. By default it doesn't keep their bodies, which few captures need.
 * @param bodies maximum bytes of response bodies to keep for the target, in total and for each body.
 */
export async function reportRequests(target: Pick<Target, "send">, bodies?: { total: number; each: number }): Promise<void> {
  if (bodies) keeping.add(target);
  else if (keeping.has(target)) return;
  const { total, each } = bodies ?? { total: 0, each: 0 };
  await target.send("Network.enable", { maxTotalBufferSize: total, maxResourceBufferSize: each });
}

/** Chromium's error for a failed request, as shown to callers: the original may name the service's own proxy. */
export function networkError(errorText: string): string {
  return /PROXY|SOCKS|TUNNEL/.test(errorText) ? "the connection failed or was refused" : errorText;
}

/** The URL without its query and fragment, which may contain secrets, such as text typed into a form that is sent with GET. */
export function withoutQuery(url: string): string {
  return url.split(/[?#]/, 1)[0] ?? "";
}

/** Starts counting one target's requests. */
export async function watchTraffic(target: Target): Promise<PageTraffic> {
  const traffic = createPageTraffic();
  await traffic.follow(target);
  return traffic;
}

/** @param patienceMs time after which a request is no longer considered pending. */
export function createPageTraffic(patienceMs?: number): PageTraffic & { follow(target: Target): Promise<unknown> } {
  const underWay = new Set<string>();
  let started = 0;
  let canceledByPage = 0;
  let waiting: (() => void)[] = [];
  const settle = () => {
    if (underWay.size > 0) return;
    for (const resolve of waiting) resolve();
    waiting = [];
  };
  const end = ({ requestId, canceled }: { requestId: string; canceled?: boolean }) => {
    if (!underWay.delete(requestId)) return;
    if (canceled) canceledByPage += 1;
    settle();
  };
  const begin = ({ requestId, type }: { requestId: string; type?: string }) => {
    if (endless.has(type ?? "")) return;
    started += 1;
    underWay.add(requestId);
    if (patienceMs !== undefined) setTimeout(end, patienceMs, { requestId }).unref();
  };
  return {
    /** A worker's script is requested by the document, but the worker reports that it has arrived. */
    follow: (target) => {
      target.on("Network.requestWillBeSent", begin);
      target.on("Network.loadingFinished", end);
      target.on("Network.loadingFailed", end);
      return reportRequests(target);
    },
    startedCount: () => started,
    canceledCount: () => canceledByPage,
    none: () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      waiting.push(resolve);
      settle();
      return promise;
    },
  };
}
