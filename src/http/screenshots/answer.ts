/**
 * Sends a screenshot as the response: headers, 304, the image, its metadata as JSON, or no body. A new image is sent from memory; a stored
 * one over 512 kB is streamed.
 */

import type { Readable } from "node:stream";
import { create } from "content-disposition";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Caller } from "../../accounts/keys/caller.ts";
import type { CaptureCache, IndexedEntry } from "../../screenshots/take/cache.ts";
import type { TakenScreenshot } from "../../screenshots/take/take.ts";
import type { TakeOptions } from "../../screenshots/take/take-options.ts";
import type { TakeRequest } from "../../screenshots/take/take-request.ts";
import { abortAfter, untilAborted, withDeadline } from "../../shared/deadline.ts";
import { contentTypes, extensions, type Format } from "../../shared/formats.ts";
import { type Links, linkLifetimeSeconds } from "../../storage/link.ts";
import type { ImageStore } from "../../storage/store.ts";
import type { Metrics } from "../../telemetry/metrics.ts";
import type { FiguresOf } from "../comparisons/compare-to.ts";
import type { LinkBase } from "../input/link-base.ts";
import { heldOrStored, isHeldBack } from "../server/client-limits.ts";
import { followDisconnection, onceAnswered } from "../server/requests.ts";
import { keysInHeaders } from "./admission.ts";
import { describeScreenshot, type ResponseContent } from "./answer-json.ts";

interface ResponderParts {
  cache: CaptureCache;
  store: Pick<ImageStore, "get">;
  links: Links;
  linkBase: LinkBase;
  metrics: Pick<Metrics, "cacheLookups">;
}

interface ResponderRequest {
  http: FastifyRequest;
  reply: FastifyReply;
  caller: Caller;
  request: TakeRequest;
  /** `performance.now()` when the request arrived. */
  started: number;
  /** Compares the screenshot; undefined without `compare_to`. */
  figuresOf: FiguresOf | undefined;
}

export type Responder = ReturnType<typeof createResponder>;

/** Sends the screenshots of one request. */
export function createResponder({ cache, store, links, linkBase, metrics }: ResponderParts, exchange: ResponderRequest) {
  const { http, reply, caller, request, started, figuresOf } = exchange;
  const { options } = request;
  // A shared cache would serve the image to any site despite the key's allowed domains, and without a key if it isn't in the URL.
  const isPrivate = request.isPrivate || caller.allowedDomains.length > 0 || keysInHeaders(http).length > 0;
  const answer = { options, isPrivate, started, links, linkBase };
  const sendsImage = options.response_type === "image" && http.method !== "HEAD";
  let disconnection: AbortSignal | undefined;
  const disconnected = () => {
    disconnection ??= followDisconnection(reply);
    return disconnection;
  };

  const held = (image: Buffer, stored: () => Promise<string | null>, onRefused?: () => void) =>
    heldOrStored(image, { caller, reply, store, stored, disconnected, onRefused });

  /** @throws {ClientGone} */
  async function open(stored: IndexedEntry, timeoutMs: number): Promise<Buffer | Readable | undefined> {
    return await abortAfter(timeoutMs, (signal) => cache.open(stored, signal), disconnected()).catch(() => {
      disconnected().throwIfAborted();
      return undefined;
    });
  }

  return {
    disconnected,
    /** Returns false without sending anything if the image is not available. */
    async sendStored(
      stored: IndexedEntry,
      state: "HIT" | "STALE",
      { openTimeoutMs = options.timeout * 1000 * openingShare, warning = "" } = {},
    ): Promise<boolean> {
      const figures = await figuresOf?.({ id: stored.id }, options.timeout * 1000, disconnected());
      const needed = sendsImage && !isUnchanged(http, stored.etag);
      const opened = needed ? (cache.inMemory(stored) ?? (await open(stored, openTimeoutMs))) : null;
      if (opened === undefined) return false;
      const body = isHeldBack(opened) ? await held(opened, async () => stored.objectKey) : opened;
      metrics.cacheLookups.inc({ result: state === "HIT" ? "hit" : "stale" });
      const warnings = warning ? [...request.warnings, warning] : request.warnings;
      sendAnswer(http, reply, { ...answer, warnings, figures, screenshot: { ...stored, cache: state, body } });
      return true;
    },
    async sendTaken(screenshot: TakenScreenshot, leftMs: number): Promise<void> {
      const { coalesced, onAnswered } = screenshot;
      onceAnswered(reply, onAnswered);
      if (options.is_cached) metrics.cacheLookups.inc({ result: coalesced ? "coalesced" : "miss" });
      // A response without the image links to the stored one; null if it isn't stored in time.
      const stored = () => withDeadline(untilAborted(screenshot.stored, disconnected()), Math.max(leftMs, storingGraceMs), () => null);
      const figures = await figuresOf?.(screenshot, leftMs, disconnected());
      const isSent = sendsImage && !isUnchanged(http, screenshot.etag);
      const body = isSent ? await held(screenshot.image, stored, () => onAnswered?.(false)) : null;
      const objectKey = sendsImage ? undefined : await stored();
      const taken = { ...screenshot, objectKey, cache: coalesced ? ("COALESCED" as const) : ("MISS" as const), body };
      sendAnswer(http, reply, { ...answer, warnings: request.warnings, figures, screenshot: taken });
    },
  };
}

/** Minimum time allowed for storing a capture, even beyond its timeout. */
const storingGraceMs = 2_000;
/** Share of the timeout that opening a stored image may take; the rest is left for a capture. */
const openingShare = 0.5;

function sendAnswer(request: FastifyRequest, reply: FastifyReply, answer: ResponseContent): FastifyReply {
  const { options, screenshot, figures } = answer;
  const warnings = [...answer.warnings, ...screenshot.warnings, ...(figures?.warnings ?? [])];
  if (options.response_type !== "image" && screenshot.objectKey === null)
    warnings.push("the image could not be stored, so there is no link to it");
  setHeaders(reply, answer, warnings);
  if (options.response_type === "json") return reply.send(describeScreenshot(request, answer, warnings));
  if (options.response_type === "empty") return reply.code(204).send();
  if (isUnchanged(request, screenshot.etag)) {
    if (screenshot.body && "destroy" in screenshot.body) screenshot.body.destroy();
    return reply.code(304).send();
  }
  setContent(reply, screenshot.format, screenshot.bytes).header("content-disposition", disposition(answer));
  return screenshot.body === null ? reply.send() : reply.send(screenshot.body);
}

/** Sets the content headers of a capture. */
export function setContent(reply: FastifyReply, format: Format, bytes: number): FastifyReply {
  // The document is untrusted: without this, its scripts would run in the origin of this service.
  if (format === "html" || format === "mhtml") reply.header("content-security-policy", "sandbox");
  return reply.header("content-type", contentTypes[format]).header("content-length", bytes);
}

function setHeaders(reply: FastifyReply, answer: ResponseContent, warnings: string[]): void {
  const { started, screenshot, figures } = answer;
  reply.header("cache-control", cacheControl(answer));
  if (screenshot.cache === "HIT" || screenshot.cache === "STALE")
    reply.header("age", Math.max(0, Math.floor((Date.now() - screenshot.capturedAt) / 1000)));
  reply.header("etag", screenshot.etag);
  reply.header("x-cache", screenshot.cache);
  reply.header("x-screenshot-id", screenshot.id);
  reply.header("x-verdict", screenshot.verdict.kind);
  if (screenshot.verdict.reasons.length > 0) reply.header("x-verdict-reason", screenshot.verdict.reasons.join(" "));
  if (screenshot.targetStatus !== null) reply.header("x-target-status", screenshot.targetStatus);
  reply.header("x-target-url", screenshot.finalUrl.slice(0, 4096));
  if (figures) reply.headers(figures.headers);
  const warning = warnings.join("; ").replace(/[^\x20-\x7e]/g, "?");
  if (warning) reply.header("x-warnings", warning.slice(0, 4096));
  reply.header("server-timing", timing({ ...screenshot.timings, total: performance.now() - started }, screenshot.waitEnded));
}

function cacheControl({ options, isPrivate, screenshot: { cache, verdict } }: ResponseContent): string {
  if (verdict.kind === "partial") return "no-store";
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

/** Whether the client already has this image. RFC 9110, 13.1.2: weak comparison, a list, or `*`. */
export function isUnchanged(request: FastifyRequest, etag: string): boolean {
  const ifNoneMatch = request.headers["if-none-match"];
  if (ifNoneMatch === undefined) return false;
  return ifNoneMatch.split(",").some((part) => ["*", etag, `W/${etag}`].includes(part.trim()));
}

/** `Content-Disposition` by RFC 6266. A name that isn't ASCII is also sent in the form of RFC 8187. */
function disposition({ options: { attachment_name }, screenshot }: ResponseContent): string {
  const extension = `.${extensions[screenshot.format]}`;
  if (attachment_name !== undefined) {
    const name = plainName(attachment_name);
    const complete = name.toLowerCase().endsWith(extension) || (screenshot.format === "jpeg" && /\.jpeg$/i.test(name));
    return create(complete ? name : name + extension);
  }
  const host = URL.canParse(screenshot.finalUrl) ? new URL(screenshot.finalUrl).hostname : "";
  return `inline; filename="${host.replace(/[^a-z0-9.-]/gi, "") || "screenshot"}${extension}"`;
}

/** Replaces what file systems and headers reject: separators, control and bidirectional characters, lone surrogates. */
function plainName(text: string): string {
  const name = text.toWellFormed().replace(/[\p{Cc}\p{Bidi_Control}\u2028\u2029\ufffd\\/:*?"<>|]/gu, "_");
  return name.replace(/^\.+/, "_").trim() || "screenshot";
}
