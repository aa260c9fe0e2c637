/**
 * Sends a screenshot as the response: headers, 304, the image, its metadata as JSON, or no body. A new image is sent from memory; a stored
 * one over 512 kB is streamed.
 */

import type { Readable } from "node:stream";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Caller } from "../../accounts/keys/caller.ts";
import type { CaptureCache, IndexedEntry } from "../../screenshots/take/cache.ts";
import type { TakenScreenshot } from "../../screenshots/take/take.ts";
import type { TakeRequest } from "../../screenshots/take/take-options.ts";
import { abortAfter, untilAborted, withDeadline } from "../../shared/deadline.ts";
import type { Links } from "../../storage/link.ts";
import type { ImageStore } from "../../storage/store.ts";
import type { Metrics } from "../../telemetry/metrics.ts";
import type { FiguresOf } from "../comparisons/compare-to.ts";
import type { LinkBase } from "../input/link-base.ts";
import { heldOrStored, isHeldBack } from "../server/client-limits.ts";
import { followDisconnection, onceAnswered } from "../server/requests.ts";
import { keysInHeaders } from "./admission.ts";
import { describeScreenshot, type ResponseContent } from "./answer-json.ts";
import { setContent, setDisposition, setHeaders } from "./screenshot-headers.ts";

export interface ResponderParts {
  cache: CaptureCache;
  store: Pick<ImageStore, "get">;
  links: Links;
  linkBase: LinkBase;
  metrics: Metrics;
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

  const held = (image: Buffer, stored: () => Promise<string | null>, newId?: string) =>
    heldOrStored(image, { caller, reply, store, stored, newId, disconnected });

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
      const figures = figuresOf && (await figuresOf({ id: stored.id }, options.timeout * 1000, disconnected()));
      const needed = sendsImage && !isUnchanged(http, stored.etag);
      const opened = needed ? (cache.inMemory(stored) ?? (await open(stored, openTimeoutMs))) : null;
      if (opened === undefined) return false;
      const body = isHeldBack(opened) ? await held(opened, async () => stored.objectKey) : opened;
      metrics.cacheLookups.inc({ result: state === "HIT" ? "hit" : "stale" });
      const warnings = warning ? [...request.warnings, warning] : request.warnings;
      sendAnswer(http, reply, { ...answer, warnings, figures, screenshot: { ...stored, cache: state, body }, stored });
      return true;
    },
    async sendTaken(screenshot: TakenScreenshot, leftMs: number): Promise<void> {
      const { coalesced } = screenshot;
      onceAnswered(reply, screenshot.onAnswered);
      if (options.is_cached) metrics.cacheLookups.inc({ result: coalesced ? "coalesced" : "miss" });
      // A response without the image links to the stored one; null if it isn't stored in time.
      const stored = () => withDeadline(untilAborted(screenshot.stored, disconnected()), Math.max(leftMs, storingGraceMs), () => null);
      const figures = await figuresOf?.(screenshot, leftMs, disconnected());
      const isSent = sendsImage && !isUnchanged(http, screenshot.etag);
      const body = isSent ? await held(screenshot.image, stored, screenshot.id) : null;
      const objectKey = sendsImage ? undefined : await stored();
      const taken = { ...screenshot, objectKey, cache: coalesced ? ("COALESCED" as const) : ("MISS" as const), body };
      if (body === screenshot.image && !disconnected().aborted) screenshot.markSent?.();
      sendAnswer(http, reply, { ...answer, warnings: request.warnings, figures, screenshot: taken });
    },
  };
}

/** Minimum time allowed for storing a capture, even beyond its timeout. */
const storingGraceMs = 2_000;
/** Share of the timeout that opening a stored image may take; the rest is left for a capture. */
const openingShare = 0.5;

function sendAnswer(http: FastifyRequest, reply: FastifyReply, answer: ResponseContent): FastifyReply {
  const { options, screenshot, figures } = answer;
  const warnings = [...answer.warnings, ...screenshot.warnings, ...(figures?.warnings ?? [])];
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
  setDisposition(reply, answer);
  return screenshot.body === null ? reply.send() : reply.send(screenshot.body);
}

/** Whether the client already has this image. RFC 9110, 13.1.2: weak comparison, a list, or `*`. */
export function isUnchanged(http: FastifyRequest, etag: string): boolean {
  const ifNoneMatch = http.headers["if-none-match"];
  if (ifNoneMatch === undefined) return false;
  if (ifNoneMatch === etag) return true;
  return ifNoneMatch.split(",").some((part) => ["*", etag, `W/${etag}`].includes(part.trim()));
}
