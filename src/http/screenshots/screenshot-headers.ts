/** The headers of a screenshot. Those of a stored one are prepared once for all of its answers. */

import { create } from "content-disposition";
import type { FastifyReply } from "fastify";
import type { CacheEntry } from "../../screenshots/take/cache-entry.ts";
import type { TakeOptions } from "../../screenshots/take/take-options.ts";
import { contentTypes, extensions, type Format } from "../../shared/formats.ts";
import { linkLifetimeSeconds } from "../../storage/link.ts";
import type { ResponseContent } from "./answer-json.ts";

/** What doesn't depend on the request. */
interface Prepared {
  headers: Record<string, string | number>;
  /** `Content-Disposition` without `attachment_name`. */
  disposition: string;
}

/** Of the entries that the cache index holds parsed, at most 2,000, for as long as it does; less than 6 kB each. */
const preparations = new WeakMap<object, Prepared>();

function prepare(screenshot: Omit<CacheEntry, "objectKey">): Prepared {
  const { etag, id, verdict, targetStatus, finalUrl } = screenshot;
  const host = URL.canParse(finalUrl) ? new URL(finalUrl).hostname : "";
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
    disposition: `inline; filename="${name}${extensionOf(screenshot.format)}"`,
  };
}

/** For texts that may quote the request or the page. */
function headerText(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, "?").slice(0, 4096);
}

function preparedOf({ screenshot, stored }: ResponseContent): Prepared {
  const before = stored && preparations.get(stored);
  if (before) return before;
  const prepared = prepare(screenshot);
  if (stored) preparations.set(stored, prepared);
  return prepared;
}

/** Sets the content headers of a capture. */
export function setContent(reply: FastifyReply, format: Format, bytes: number): FastifyReply {
  // The document is untrusted: without this, its scripts would run in the origin of this service.
  if (format === "html" || format === "mhtml") reply.header("content-security-policy", "sandbox");
  return reply.header("content-type", contentTypes[format]).header("content-length", bytes);
}

/** Sets the headers of every answer with a screenshot. */
export function setHeaders(reply: FastifyReply, answer: ResponseContent, warnings: string[]): void {
  const { started, screenshot, figures } = answer;
  reply.header("cache-control", cacheControl(answer));
  if (screenshot.cache === "HIT" || screenshot.cache === "STALE")
    reply.header("age", Math.max(0, Math.floor((Date.now() - screenshot.capturedAt) / 1000)));
  reply.header("x-cache", screenshot.cache).headers(preparedOf(answer).headers);
  if (figures) reply.headers(figures.headers);
  if (warnings.length > 0) reply.header("x-warnings", headerText(warnings.join("; ")));
  const total = performance.now() - started;
  reply.header(
    "server-timing",
    screenshot.timings ? timing({ ...screenshot.timings, total }, screenshot.waitEnded) : `total;dur=${total.toFixed(1)}`,
  );
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

/** `Content-Disposition` by RFC 6266. A name that isn't ASCII is also sent in the form of RFC 8187. */
export function setDisposition(reply: FastifyReply, answer: ResponseContent): void {
  const { attachment_name: name } = answer.options;
  reply.header("content-disposition", name === undefined ? preparedOf(answer).disposition : named(name, answer.screenshot.format));
}

function named(attachmentName: string, format: Format): string {
  const extension = extensionOf(format);
  const name = plainName(attachmentName);
  const complete = name.toLowerCase().endsWith(extension) || (format === "jpeg" && /\.jpeg$/i.test(name));
  return create(complete ? name : name + extension);
}

const extensionOf = (format: Format) => `.${extensions[format]}`;

/** Replaces what file systems and headers reject: separators, control and bidirectional characters, lone surrogates. */
function plainName(text: string): string {
  const name = text.toWellFormed().replace(/[\p{Cc}\p{Bidi_Control}\u2028\u2029\ufffd\\/:*?"<>|]/gu, "_");
  return name.replace(/^\.+/, "_").trim() || "screenshot";
}
