/** One screenshot: its bytes, and the information in the response headers. */

import type { Screenshot, TakeRequest } from "./api.generated.ts";
import type { CallOptions, Calls } from "./calls.ts";

/** The response consists of the bytes, so options that select another kind of response are not accepted here. */
export type TakeOptions = Omit<TakeRequest, "response_type" | "dry_run" | "signature" | "error_image">;

export interface Taken {
  /** The image, or the document for formats such as `pdf`. */
  data: Uint8Array<ArrayBuffer>;
  contentType: string;
  /** Id of the screenshot in the account's history. */
  id: string;
  /** `HIT` and `STALE`: stored earlier; `COALESCED`: captured by a concurrent equal request. */
  cache: Screenshot["cache"];
  /** Time since a stored screenshot was captured. */
  ageSeconds: number | undefined;
  /** What the image shows: the page (`ok`), or something in its place. `reason` is for people, and empty for `ok`. */
  verdict: { kind: Screenshot["verdict"]["kind"]; reason: string };
  /** What was cut off, ignored or corrected. */
  warnings: string[];
  /** HTTP status of the page; undefined for a document sent by the caller. */
  targetStatus: number | undefined;
  /** URL of the page after redirects. */
  targetUrl: string;
  etag: string;
  requestId: string;
  /** Milliseconds of each phase. */
  timings: Record<string, number>;
  /** With `compare_to`. `share` is the share of pixels that differ, 0 to 1. */
  change: { changed: boolean; share: number; regions: number } | undefined;
  /** The key's rate limit: requests allowed per minute, remaining in the current one, and when it ends. */
  rateLimit: { limit: number; remaining: number; resetsAt: Date };
}

/** Not repeated after a lost connection, because that might take a second screenshot. */
export function createTake({ send, json, unexpected }: Calls) {
  const request = (body: object) => ({ method: "POST", path: "/v1/screenshots/take", repeat: "refused", body }) as const;
  return {
    take: (body: TakeOptions, options?: CallOptions): Promise<Taken> =>
      send(request(body), options, async (response) => {
        if (response.headers.has("x-screenshot-id")) return await takenOf(response);
        await response.body?.cancel();
        throw unexpected(response.status);
      }),
    describe: (body: TakeOptions, options?: CallOptions): Promise<Screenshot> => json(request({ ...body, response_type: "json" }), options),
  };
}

async function takenOf(response: Response): Promise<Taken> {
  const { headers } = response;
  const text = (name: string) => headers.get(name) ?? "";
  const number = (name: string) => (headers.has(name) ? Number(headers.get(name)) : undefined);
  return {
    data: new Uint8Array(await response.arrayBuffer()),
    contentType: text("content-type"),
    id: text("x-screenshot-id"),
    cache: text("x-cache") as Taken["cache"],
    ageSeconds: number("age"),
    verdict: { kind: text("x-verdict") as Taken["verdict"]["kind"], reason: text("x-verdict-reason") },
    warnings: text("x-warnings").split("; ").filter(Boolean),
    targetStatus: number("x-target-status"),
    targetUrl: text("x-target-url"),
    etag: text("etag"),
    requestId: text("x-request-id"),
    timings: timingsOf(text("server-timing")),
    change: headers.has("x-changed")
      ? { changed: text("x-changed") === "true", share: number("x-changed-share") ?? 0, regions: number("x-changed-regions") ?? 0 }
      : undefined,
    rateLimit: {
      limit: number("x-ratelimit-limit") ?? 0,
      remaining: number("x-ratelimit-remaining") ?? 0,
      resetsAt: new Date((number("x-ratelimit-reset") ?? 0) * 1000),
    },
  };
}

/** Parses `Server-Timing`: `queue;dur=1.2, wait;dur=200.0;desc="ready"`. */
function timingsOf(header: string): Record<string, number> {
  return Object.fromEntries([...header.matchAll(/([\w-]+);dur=([\d.]+)/g)].map(([, phase, ms]) => [phase, Number(ms)]));
}
