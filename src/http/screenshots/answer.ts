/** Sends a screenshot as the response: headers, 304, the image (possibly streamed from storage), its metadata as JSON, or no body. */

import type { Readable } from "node:stream";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { ReadCopies } from "../../accounts/destinations/copies.ts";
import type { Caller } from "../../accounts/keys/caller.ts";
import type { CaptureCache, IndexedEntry } from "../../screenshots/take/cache.ts";
import type { CacheEntry } from "../../screenshots/take/cache-entry.ts";
import type { TakeOptions, TakeRequest } from "../../screenshots/take/take-options.ts";
import type { TakenScreenshot } from "../../screenshots/take/take-screenshot.ts";
import { abortAfter, untilAborted, withDeadline } from "../../shared/deadline.ts";
import { contentTypes, extensions, type Format } from "../../shared/formats.ts";
import { parseUrl } from "../../shared/urls.ts";
import { type Links, linkLifetimeSeconds } from "../../storage/link.ts";
import type { ImageStore } from "../../storage/store.ts";
import type { Metrics } from "../../telemetry/metrics.ts";
import type { CompareShot } from "../comparisons/compare-to.ts";
import { createCopyOf } from "../destinations/copies.ts";
import type { LinkBase } from "../input/link-base.ts";
import { isHeldBack } from "../server/client-limits.ts";
import { confirmOnceSent } from "../server/confirm-once-sent.ts";
import { heldOrStored } from "../server/held-images.ts";
import { followDisconnection } from "../server/requests.ts";
import { keysInHeaders } from "./admission.ts";
import { describeScreenshot, type ResponseContent } from "./answer-json.ts";
import { attachment } from "./attachment.ts";

export interface ResponderParts {
  cache: CaptureCache;
  store: Pick<ImageStore, "get">;
  links: Links;
  linkBase: LinkBase;
  metrics: Metrics;
  readCopies: ReadCopies;
}

interface ResponderRequest {
  http: FastifyRequest;
  reply: FastifyReply;
  caller: Caller;
  request: TakeRequest;
  /** `performance.now()` when the handler started, after the server's hooks had run and the body had been parsed. */
  started: number;
  /** Compares the screenshot; undefined without `compare_to`. */
  compareShot: CompareShot | undefined;
}

export type Responder = ReturnType<typeof createResponder>;

/** Sends the screenshots of one request. */
export function createResponder({ cache, store, links, linkBase, metrics, readCopies }: ResponderParts, asked: ResponderRequest) {
  const { http, reply, caller, request, started, compareShot } = asked;
  const { options } = request;
  // A shared cache would serve the image to any site despite the key's allowed domains, and if the URL has no key, to callers without one.
  const isPrivate = request.isPrivate || caller.allowedDomains.length > 0 || keysInHeaders(http).length > 0;
  const answer = { options, isPrivate, started, links, linkBase };
  const copyOf = options.destination === undefined ? async () => undefined : createCopyOf(readCopies, caller.userId, options);
  const sendsImage = options.response_type === "image" && http.method !== "HEAD";
  let disconnection: AbortSignal | undefined;
  const disconnected = () => {
    disconnection ??= followDisconnection(reply);
    return disconnection;
  };

  const held = (image: Buffer, stored: () => Promise<string | null>, newId?: string) =>
    heldOrStored(image, { caller, reply, store, stored, newId, disconnected });

  /** @throws {ClientGone} */
  async function open(entry: IndexedEntry, timeoutMs: number): Promise<Buffer | Readable | undefined> {
    return await abortAfter(timeoutMs, (signal) => cache.open(entry, signal), disconnected()).catch(() => {
      disconnected().throwIfAborted();
      return undefined;
    });
  }

  return {
    disconnected,
    /** Returns false without sending anything if the image is not available. */
    async sendStored(
      entry: IndexedEntry,
      state: "HIT" | "STALE",
      { openTimeoutMs = options.timeout * 1000 * openingShare, warning = "" } = {},
    ): Promise<boolean> {
      const compared = compareShot && (await compareShot({ id: entry.id }, options.timeout * 1000, disconnected()));
      const needed = sendsImage && !isUnchanged(http, entry.etag);
      const opened = needed ? (cache.inMemory(entry) ?? (await open(entry, openTimeoutMs))) : null;
      if (opened === undefined) return false;
      const body = isHeldBack(opened) ? await held(opened, async () => entry.objectKey) : opened;
      metrics.cacheLookups.inc({ result: state === "HIT" ? "hit" : "stale" });
      const warnings = warning ? [...request.warnings, warning] : request.warnings;
      const screenshot = { ...entry, cache: state, body };
      sendAnswer(http, reply, { ...answer, warnings, compared, copy: await copyOf(entry.id), screenshot, entry });
      return true;
    },
    async sendTaken(screenshot: TakenScreenshot, leftMs: number): Promise<void> {
      if (screenshot.confirmCharge) confirmOnceSent(reply, screenshot.confirmCharge);
      if (options.is_cached) metrics.cacheLookups.inc({ result: screenshot.coalesced ? "coalesced" : "miss" });
      // A response without the image links to the stored image; null if storing takes too long.
      const stored = () => withDeadline(untilAborted(screenshot.stored, disconnected()), Math.max(leftMs, storingGraceMs), () => null);
      const compared = await compareShot?.(screenshot, leftMs, disconnected());
      const needed = sendsImage && !isUnchanged(http, screenshot.etag);
      const body = needed ? await held(screenshot.image, stored, screenshot.id) : null;
      const objectKey = sendsImage ? undefined : await stored();
      const taken = { ...screenshot, objectKey, cache: screenshot.coalesced ? ("COALESCED" as const) : ("MISS" as const), body };
      if (body === screenshot.image && !disconnected().aborted) screenshot.markSent?.();
      sendAnswer(http, reply, { ...answer, warnings: request.warnings, compared, copy: await copyOf(screenshot.id), screenshot: taken });
    },
  };
}

/** Minimum time allowed for storing a capture, even beyond its timeout. */
const storingGraceMs = 2_000;
/** Share of the timeout that opening a stored image may take; the rest is left for a capture. */
const openingShare = 0.5;

function sendAnswer(http: FastifyRequest, reply: FastifyReply, answer: ResponseContent): FastifyReply {
  const { options, screenshot, compared } = answer;
  const warnings = [...answer.warnings, ...screenshot.warnings, ...(compared?.warnings ?? [])];
  if (options.response_type !== "image" && screenshot.objectKey === null)
    warnings.push("the image could not be stored, so there is no link to it");
  setHeaders(reply, answer, warnings);
  if (options.response_type === "json") return reply.send(describeScreenshot(http, answer, warnings));
  if (options.response_type === "empty") return reply.code(204).send();
  if (isUnchanged(http, screenshot.etag)) {
    if (screenshot.body && "destroy" in screenshot.body) screenshot.body.destroy();
    return reply.code(304).send();
  }
  setContent(reply, screenshot.format, screenshot.bytes);
  const { attachment_name: name } = options;
  reply.header("content-disposition", name === undefined ? preparedOf(answer).disposition : attachment(name, screenshot.format));
  return screenshot.body === null ? reply.send() : reply.send(screenshot.body);
}

/** Whether the client already has this image. RFC 9110, 13.1.2: weak comparison, a list, or `*`. */
export function isUnchanged(http: FastifyRequest, etag: string): boolean {
  const ifNoneMatch = http.headers["if-none-match"];
  if (ifNoneMatch === undefined) return false;
  if (ifNoneMatch === etag) return true;
  return ifNoneMatch.split(",").some((part) => ["*", etag, `W/${etag}`].includes(part.trim()));
}

/** Headers of a screenshot that don't depend on the request. For a stored screenshot, they are prepared only once. */
interface Prepared {
  headers: Record<string, string | number>;
  /** `Content-Disposition` without `attachment_name`. */
  disposition: string;
}

/** Prepared headers by cache index entry. The index keeps at most 2,000 parsed entries; each takes at most a few kB here. */
const preparations = new WeakMap<object, Prepared>();

function prepare(screenshot: Omit<CacheEntry, "objectKey">): Prepared {
  const { etag, id, verdict, targetStatus, finalUrl } = screenshot;
  const host = parseUrl(finalUrl)?.hostname ?? "";
  const name = host.replace(/[^a-z0-9.-]/gi, "") || "screenshot";
  return {
    headers: {
      etag,
      "x-screenshot-id": id,
      "x-verdict": verdict.kind,
      ...(verdict.reasons.length > 0 && { "x-verdict-reason": headerText(verdict.reasons.join(" ")) }),
      ...(targetStatus !== null && { "x-target-status": targetStatus }),
      "x-target-url": finalUrl.slice(0, 4096),
    },
    disposition: `inline; filename="${name}.${extensions[screenshot.format]}"`,
  };
}

/** Sanitizes text that may quote the request or the page. */
function headerText(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, "?").slice(0, 4096);
}

function preparedOf({ screenshot, entry }: ResponseContent): Prepared {
  const before = entry && preparations.get(entry);
  if (before) return before;
  const prepared = prepare(screenshot);
  if (entry) preparations.set(entry, prepared);
  return prepared;
}

/** Sets the content headers of a capture. */
export function setContent(reply: FastifyReply, format: Format, bytes: number): FastifyReply {
  // The document is untrusted: without this, its scripts would run in this service's origin.
  if (format === "html" || format === "mhtml") reply.header("content-security-policy", "sandbox");
  return reply.header("content-type", contentTypes[format]).header("content-length", bytes);
}

/** Sets the headers common to all responses with a screenshot. */
function setHeaders(reply: FastifyReply, answer: ResponseContent, warnings: string[]): void {
  const { started, screenshot, compared } = answer;
  reply.header("cache-control", cacheControl(answer));
  if (screenshot.cache === "HIT" || screenshot.cache === "STALE")
    reply.header("age", Math.max(0, Math.floor((Date.now() - screenshot.capturedAt) / 1000)));
  reply.header("x-cache", screenshot.cache).headers(preparedOf(answer).headers);
  if (compared) reply.headers(compared.headers);
  if (warnings.length > 0) reply.header("x-warnings", headerText(warnings.join("; ")));
  const total = performance.now() - started;
  reply.header(
    "server-timing",
    screenshot.timings ? timing({ ...screenshot.timings, total }, screenshot.waitEnded) : `total;dur=${total.toFixed(1)}`,
  );
}

function cacheControl({ options, isPrivate, screenshot: { cache, verdict } }: ResponseContent): string {
  if (verdict.kind === "partial" || options.har_secrets) return "no-store";
  return `${isPrivate ? "private" : "public"}, ${cache === "STALE" ? "no-cache" : `max-age=${cacheControlMaxAge(options)}`}`;
}

/** In seconds; never beyond the expiry of the link in the response or of the signed request. */
function cacheControlMaxAge({ is_cached, cache_ttl, response_type, expires = Number.POSITIVE_INFINITY }: TakeOptions): number {
  const link = response_type === "json" ? linkLifetimeSeconds : Number.POSITIVE_INFINITY;
  return Math.max(0, Math.min(is_cached ? cache_ttl : 3600, link, expires - Math.floor(Date.now() / 1000)));
}

function timing(phases: Record<string, number>, waitEnded?: string): string {
  return Object.entries(phases)
    .map(([phase, ms]) => `${phase};dur=${ms.toFixed(1)}${phase === "wait" && waitEnded ? `;desc="${waitEnded}"` : ""}`)
    .join(", ");
}
