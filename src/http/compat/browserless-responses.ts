/** browserless responses that are not the captured image, PDF or HTML itself. */

import type { FastifyReply } from "fastify";
import { bytesOf, type ServiceState } from "./adapter.ts";

/** Response body of `/scrape`. */
export async function scrapeResponse(body: unknown, reply: FastifyReply): Promise<string> {
  const { matches } = JSON.parse((await bytesOf(body)).toString()) as Matches;
  for (const name of ["content-length", "etag"]) reply.removeHeader(name);
  const data = matches.map(({ selector, elements }) => ({
    selector,
    results: elements.map(({ attributes, html, text, box: { x: left, y: top, width, height } }) => ({
      attributes,
      height,
      html,
      left,
      text,
      top,
      width,
    })),
  }));
  return JSON.stringify({ data, debug: null });
}

/** Output of `format=elements` with `match_selectors`. */
interface Matches {
  matches: {
    selector: string;
    elements: { attributes: object[]; html: string; text: string; box: { x: number; y: number; width: number; height: number } }[];
  }[];
}

/** Load of this process. CPU and memory are not measured, so they are null. */
export function pressureResponse({ running, waiting, runningMax, waitingMax }: ReturnType<ServiceState["load"]>) {
  const isFull = waiting >= waitingMax && running >= runningMax;
  return {
    date: Date.now(),
    isAvailable: !isFull,
    reason: isFull ? "full" : "",
    message: isFull ? "All browsers are busy, and the queue is full." : "",
    running,
    queued: waiting,
    maxConcurrent: runningMax,
    maxQueued: waitingMax,
    recentlyRejected: 0,
    cpu: null,
    memory: null,
  };
}

/** Omits the WebSocket address: browsers are lent on `CDP_PORT`, which serves this route with it. */
export function versionResponse(browser: ReturnType<ServiceState["browser"]>) {
  return { Browser: `Chrome/${browser?.version ?? "0"}`, "Protocol-Version": "1.3", "User-Agent": browser?.userAgent ?? "" };
}
