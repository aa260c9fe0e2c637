/** Takes a screenshot with the user's session and parses the response. */

import { send } from "../api/client.ts";
import { defaultFormat } from "../screenshots/formats.ts";
import type { Verdict } from "../screenshots/verdict.tsx";
import { pairsOf, type Values } from "./parameters.ts";

export interface Screenshot {
  id: string;
  file: Blob;
  format: string;
  cache: string;
  targetStatus: string;
  targetUrl: string;
  verdict: Verdict;
  verdictReason: string;
  warnings: string[];
  /** Duration of each phase in milliseconds, in the order of the response. */
  timings: { name: string; ms: number }[];
}

/** Always requests `explain`, for the screenshot's page. @throws {ApiError} */
export async function take(options: Values, signal: AbortSignal): Promise<Screenshot> {
  const response = await send(`/v1/account/playground?${new URLSearchParams(pairsOf({ ...options, explain: "true" }))}`, {
    method: "POST",
    signal,
  });
  const header = (name: string) => response.headers.get(name) ?? "";
  return {
    id: header("x-screenshot-id"),
    file: await response.blob(),
    format: String(options.format ?? defaultFormat),
    cache: header("x-cache"),
    targetStatus: header("x-target-status"),
    targetUrl: header("x-target-url"),
    verdict: header("x-verdict") as Verdict,
    verdictReason: header("x-verdict-reason"),
    warnings: warningsOf(header("x-warnings")),
    timings: timingsOf(header("server-timing")),
  };
}

/** `queue;dur=1, navigate;dur=230` */
function timingsOf(header: string): Screenshot["timings"] {
  return [...header.matchAll(/([\w-]+)[^,]*?;\s*dur=([\d.]+)/g)].map(([, name = "", ms]) => ({ name, ms: Number(ms) }));
}

function warningsOf(header: string): string[] {
  return header === "" ? [] : header.split(/;\s+/);
}
