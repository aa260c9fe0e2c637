/** `format=har`: the page's requests, as HTTP Archive 1.2 (http://www.softwareishard.com/blog/har-12-spec/). */

import { version } from "../../shared/version.ts";
import { networkError } from "../loading/traffic.ts";
import type { Work } from "../option-group.ts";
import type { CaptureOptions } from "../options.ts";
import { bodyPlace, writeArchive } from "./har-archive.ts";
import { type Body, readBodies } from "./har-bodies.ts";
import { headerOf, parametersIn, type Shown, shownOf } from "./har-headers.ts";
import type { RecordedRequest, RecordedResponse } from "./request-record.ts";
import type { SentAndReceived } from "./wire-headers.ts";

/** Writes the requests recorded since the navigation. Unless `har_secrets` is set, replaces values whose names suggest credentials. */
export async function renderHar(work: Work, options: CaptureOptions): Promise<Buffer> {
  const { tab, record, warn } = work;
  if (!record) throw new TypeError("nothing was recorded");
  const requests = record.requests().map((request) => ({ ...request }));
  const bodies = options.har_bodies === "text" ? await readBodies(work, requests) : new Map<RecordedRequest, Body>();
  const title = await tab.evaluate(() => document.title.slice(0, 300));
  const { product } = await tab.send("Browser.getVersion");
  const [first] = requests;
  const log = {
    version: "1.2",
    creator: { name: "Tintype", version },
    browser: { name: "Chromium", version: product.split("/")[1] ?? "" },
    pages: [
      {
        startedDateTime: new Date(first?.wallTime ?? Date.now()).toISOString(),
        id: pageId,
        title,
        pageTimings: {
          onContentLoad: since(first, record.events.content),
          onLoad: since(first, record.events.load),
        },
      },
    ],
  };
  const entries = entriesOf(requests, shownOf(options), options.har_secrets ? record.wire?.of(requests) : undefined);
  const written = await writeArchive(
    log,
    entries,
    requests.map((request) => bodies.get(request)),
  );
  const sent = requests.length + record.omitted();
  if (sent > written.entries) warn(`the page sent ${sent} requests: the archive contains only the first ${written.entries}`);
  if (written.areListsCut) warn("some headers were left out of the archive: it would have been too large");
  if (written.areBodiesLeftOut) warn("some bodies were left out of the archive: it would have been too large");
  return written.bytes;
}

const pageId = "page_1";

function since(first: RecordedRequest | undefined, at: number | undefined): number {
  return first && at !== undefined ? rounded(at - first.startedAt) : -1;
}

/** @param wire headers to list instead of those in the requests and responses. */
function* entriesOf(requests: readonly RecordedRequest[], shown: Shown, wire: Map<RecordedRequest, SentAndReceived> | undefined) {
  for (const request of requests) yield entryOf(request, shown, wire?.get(request));
}

function entryOf(recorded: RecordedRequest, shown: Shown, wire: SentAndReceived | undefined) {
  const { request, response, type, initiator, wallTime, outcome, reason, isCached } = recorded;
  const timings = timingsOf(recorded);
  const { blocked, dns, connect, send, wait, receive } = timings;
  const url = shown.text(request.url);
  const declared = declaredBytes(recorded);
  const { sent = request.headers, received = response?.headers ?? {} } = wire ?? {};
  return {
    pageref: pageId,
    startedDateTime: new Date(wallTime).toISOString(),
    time: rounded([blocked, dns, connect, send, wait, receive].reduce((sum, part) => sum + Math.max(0, part), 0)),
    request: {
      method: request.method,
      url,
      httpVersion: protocolOf(response),
      cookies: shown.sentCookies(sent),
      headers: shown.sentHeaders(sent),
      queryString: parametersIn(url),
      headersSize: -1,
      bodySize: request.bodyBytes,
    },
    response: {
      status: response?.status ?? 0,
      statusText: response?.statusText ?? "",
      httpVersion: protocolOf(response),
      cookies: shown.receivedCookies(received),
      headers: shown.receivedHeaders(received),
      content: { size: recorded.bodyBytes || declared, mimeType: response?.mimeType ?? "", text: bodyPlace },
      redirectURL: recorded.isRedirect ? shown.text(headerOf(response?.headers ?? {}, "location")) : "",
      headersSize: -1,
      bodySize: isCached || response?.fromDiskCache ? 0 : declared || recorded.sentBytes,
    },
    cache: {},
    timings,
    _resourceType: type,
    _initiator: { type: initiator.type, ...(initiator.url === undefined ? {} : { url: shown.text(initiator.url) }) },
    ...(isCached || response?.fromDiskCache ? { _fromCache: true } : {}),
    ...(response?.fromServiceWorker ? { _fromServiceWorker: true } : {}),
    ...(outcome === "failed" ? { _error: networkError(reason ?? "") } : {}),
    ...(outcome === "blocked" ? { _blockedBy: reason } : {}),
    ...(outcome === "pending" ? { comment: "still pending when the page was captured" } : {}),
  };
}

/** The size of a complete body according to the server. Chromium doesn't always report sizes. */
function declaredBytes({ request, response, outcome }: RecordedRequest): number {
  if (outcome !== "done" || request.method === "HEAD" || !response || [204, 304].includes(response.status)) return 0;
  return Number.parseInt(headerOf(response.headers, "content-length"), 10) || 0;
}

function protocolOf(response: RecordedResponse | undefined): string {
  return response?.protocol?.toUpperCase() ?? "";
}

/** In milliseconds; −1 for a phase that didn't happen. As specified, `connect` includes `ssl`. */
function timingsOf({ response, startedAt, endedAt }: RecordedRequest) {
  const timing = response?.timing;
  if (!timing)
    return {
      blocked: -1,
      dns: -1,
      connect: -1,
      ssl: -1,
      send: 0,
      wait: rounded(Math.max(0, (endedAt ?? startedAt) - startedAt)),
      receive: 0,
    };
  const begunAt = timing.requestTime * 1000;
  const part = (from: number, to: number) => (from >= 0 && to >= from ? rounded(to - from) : -1);
  const firstStep = [timing.dnsStart, timing.connectStart, timing.sendStart].find((at) => at >= 0) ?? 0;
  return {
    blocked: rounded(Math.max(0, begunAt + firstStep - startedAt)),
    dns: part(timing.dnsStart, timing.dnsEnd),
    connect: part(timing.connectStart, timing.connectEnd),
    ssl: part(timing.sslStart, timing.sslEnd),
    send: Math.max(0, part(timing.sendStart, timing.sendEnd)),
    wait: Math.max(0, part(timing.sendEnd, timing.receiveHeadersEnd)),
    receive: rounded(Math.max(0, (endedAt ?? begunAt + timing.receiveHeadersEnd) - begunAt - timing.receiveHeadersEnd)),
  };
}

function rounded(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}
