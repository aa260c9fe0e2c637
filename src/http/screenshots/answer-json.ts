/** The JSON description of a screenshot, with a link to it. */

import type { Readable } from "node:stream";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Copy } from "../../accounts/destinations/copies.ts";
import type { IndexedEntry } from "../../screenshots/take/cache.ts";
import type { CacheEntry } from "../../screenshots/take/cache-entry.ts";
import type { TakeOptions } from "../../screenshots/take/take-options.ts";
import type { FoundScreenshot } from "../../screenshots/take/take-screenshot.ts";
import { type Links, linkLifetimeSeconds } from "../../storage/link.ts";
import type { ComparedShot } from "../comparisons/compare-to.ts";
import type { LinkBase } from "../input/link-base.ts";

export interface ResponseContent {
  options: TakeOptions;
  /** Warnings about the request; `screenshot` has its own. */
  warnings: string[];
  isPrivate: boolean;
  /** `performance.now()` when the handler started, after the server's hooks had run and the body had been parsed. */
  started: number;
  links: Links;
  linkBase: LinkBase;
  /** Undefined without `compare_to`. */
  compared: ComparedShot | undefined;
  screenshot: Omit<CacheEntry, "objectKey"> & {
    cache: "HIT" | "MISS" | "COALESCED" | "STALE";
    timings?: Record<string, number>;
    waitEnded?: string;
    explanation?: object | undefined;
    /** `null` if the image could not be stored, `undefined` if the response needs no link. */
    objectKey?: string | null | undefined;
    /** `null` for a response without the image. */
    body: Buffer | Readable | null;
  };
  /** For `response_type=json`, if the request has a destination. */
  copy?: Copy | undefined;
  /** The cache index entry of `screenshot`; undefined for a new screenshot. */
  entry?: IndexedEntry;
}

/** @returns the response body for `response_type=json`. */
export function describeScreenshot(
  http: FastifyRequest,
  { screenshot, links, linkBase, started, compared, copy }: ResponseContent,
  warnings: string[],
) {
  const { id, format, bytes, width, height, title, verdict, timings, waitEnded, explanation, cache, objectKey } = screenshot;
  const url = objectKey === null ? null : `${linkBase(http)}${links.sign(id, format, linkLifetimeSeconds)}`;
  return {
    id,
    url,
    format,
    bytes,
    width,
    height,
    title,
    target: { status: screenshot.targetStatus, url: screenshot.finalUrl },
    verdict,
    cache,
    captured_at: new Date(screenshot.capturedAt).toISOString(),
    timings: Object.fromEntries(
      Object.entries({ ...timings, total: performance.now() - started }).map(([phase, ms]) => [phase, Math.round(ms)]),
    ),
    ...(waitEnded ? { wait_ended: waitEnded } : {}),
    ...(explanation ? { explanation } : {}),
    ...(copy ? { copy } : {}),
    ...(compared?.comparison ? { comparison: compared.comparison } : {}),
    warnings,
  };
}

interface DryRun {
  /** Secret options have the value "given". */
  options: Record<string, unknown>;
  warnings: string[];
  /** Whether the request accepts stored screenshots. */
  cached: boolean;
  found: FoundScreenshot | undefined;
}

export async function sendDryRun(reply: FastifyReply, { options, warnings, cached, found }: DryRun): Promise<FastifyReply> {
  return reply.header("cache-control", "no-store").send({
    dry_run: true,
    options,
    warnings,
    cache: found?.freshness
      ? {
          state: found.freshness === "fresh" ? "HIT" : "STALE",
          captured_at: new Date(found.entry.capturedAt).toISOString(),
          id: found.entry.id,
        }
      : { state: cached ? "MISS" : "OFF", captured_at: null, id: null },
  });
}
