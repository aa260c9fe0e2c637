/** Records the requests of a page, its workers and its frames, for `format=har`. */

import type { Protocol } from "devtools-protocol";
import type { Target } from "../../browser/children.ts";
import type { Tab } from "../../browser/tab.ts";
import { beginningOf } from "../../shared/beginning-of.ts";
import type { OnBlocked } from "../loading/interception.ts";
import { reportRequests } from "../loading/traffic.ts";
import { createWireHeaders, sizeOf, type WireHeaders } from "./wire-headers.ts";

/** A request, or one of its redirects. Times are in milliseconds on Chromium's clock. */
export interface RecordedRequest {
  /** Chromium's id, which redirects share. */
  id: string;
  /** Target from which the body can be read. */
  target: Target;
  /** `bodyBytes` is −1 if unknown. */
  request: Pick<Protocol.Network.Request, "method" | "url" | "headers"> & { bodyBytes: number };
  type: string;
  initiator: Pick<Protocol.Network.Initiator, "type" | "url">;
  /** Milliseconds since 1970. */
  wallTime: number;
  startedAt: number;
  endedAt?: number;
  response?: RecordedResponse;
  /** Bytes of the response's body: `bodyBytes` decoded, `sentBytes` as transferred. */
  bodyBytes: number;
  sentBytes: number;
  isCached: boolean;
  outcome: "pending" | "done" | "failed" | "blocked";
  /** For a failed request, Chromium's error; for a blocked one, the option that blocked it. */
  reason?: string;
  /** Whether this is a redirect, whose body Chromium discards. */
  isRedirect?: true;
  /** Whether Chromium reports the headers separately, as sent and received; see `WireHeaders`. */
  hasExtraInfo?: boolean;
}

export type RecordedResponse = Pick<
  Protocol.Network.Response,
  "status" | "statusText" | "headers" | "mimeType" | "protocol" | "timing" | "fromDiskCache" | "fromServiceWorker" | "encodedDataLength"
>;

export interface RequestRecord {
  /** In the order in which they began. */
  requests(): readonly RecordedRequest[];
  /** Number of requests that were left out because there were too many, or because of the size of their URLs and headers. */
  omitted(): number;
  /** When the page's latest document fired `DOMContentLoaded` and `load`, on the same clock as the requests. */
  events: { content?: number; load?: number };
  blocked: OnBlocked;
  /** Headers as sent and received; undefined unless secrets are kept. */
  wire: WireHeaders | undefined;
}

/** Maximum number of recorded requests: a page can send any number. */
const requestsMax = 5_000;
/** Maximum total length of all URLs and headers as written in the archive, in characters. */
const charactersMax = 15_000_000;
/** Maximum length of other strings that a page or a server chooses. */
const textMax = 200;

/** Maximum bytes of response bodies that Chromium keeps for each of the page's targets: in total, and per body. */
const bodyBuffer = { total: 20_000_000, each: 1_000_000 };

/** Call before the navigation. Requests for `data:` and `blob:` URLs don't leave the browser and are not recorded. */
export async function recordRequests(tab: Tab, { keepsBodies = false, keepsSecrets = false } = {}): Promise<RequestRecord> {
  const kept = createKept();
  const wire = keepsSecrets ? createWireHeaders(kept.fits, requestsMax) : undefined;
  const events: RequestRecord["events"] = {};
  tab.on("Page.domContentEventFired", ({ timestamp }) => {
    events.content = timestamp * 1000;
  });
  tab.on("Page.loadEventFired", ({ timestamp }) => {
    events.load = timestamp * 1000;
  });
  const follow = (target: Target) => {
    listen(target, kept);
    wire?.listen(target);
    return reportRequests(target, keepsBodies ? bodyBuffer : undefined);
  };
  await Promise.all([follow(tab), tab.attachChildren(follow)]);
  return {
    requests: () => kept.all,
    omitted: kept.omitted,
    ...{ events, wire },
    blocked: ({ id, url }, by) => id !== undefined && kept.block(id, url, by),
  };
}

interface Kept {
  all: RecordedRequest[];
  omitted(): number;
  /** Reserves room for URLs and headers, or returns false if there is none. */
  fits(characters: number): boolean;
  begin(request: RecordedRequest): void;
  /** May precede `begin`: on a busy machine, a request may be paused by Chromium and blocked by an option before it is reported. */
  block(id: string, url: string, reason: string): void;
  /** Changes the latest request with this id, if there is one. */
  change(id: string, change: (request: RecordedRequest) => unknown): void;
  end(id: string, timestamp: number, result: Partial<RecordedRequest>): void;
  /** Call this if the next request with this id is a different request. */
  release(id: string): void;
}

function createKept(): Kept {
  const all: RecordedRequest[] = [];
  const byId = new Map<string, RecordedRequest>();
  /** Options that blocked requests or redirects before `begin` was called for them, by request id. */
  const blockedEarly = new Map<string, string>();
  let omitted = 0;
  let characters = 0;
  const fits = (added: number) => {
    if (characters + added > charactersMax) return false;
    characters += added;
    return true;
  };
  const change: Kept["change"] = (id, change) => {
    const request = byId.get(id);
    if (request) change(request);
  };
  return {
    all,
    omitted: () => omitted,
    fits,
    begin: (request) => {
      if (byId.has(request.id)) return; // a frame's document is reported by two targets
      const { request: sent, initiator } = request;
      if (all.length >= requestsMax || !fits(sent.url.length + (initiator.url?.length ?? 0) + sizeOf(sent.headers))) {
        omitted += 1;
        return;
      }
      const reason = blockedEarly.get(request.id);
      all.push(reason === undefined ? request : Object.assign(request, { outcome: "blocked", reason }));
      byId.set(request.id, request);
      blockedEarly.delete(request.id);
    },
    block: (id, url, reason) => {
      if (byId.get(id)?.request.url === url) change(id, (request) => Object.assign(request, { outcome: "blocked", reason }));
      else if (blockedEarly.size < requestsMax) blockedEarly.set(id, reason);
    },
    change,
    end: (id, timestamp, result) =>
      void change(id, (request) => {
        if (request.outcome === "pending") Object.assign(request, { outcome: "done" }, result);
        request.endedAt ??= timestamp * 1000;
      }),
    release: (id) => void byId.delete(id),
  };
}

function listen(target: Target, kept: Kept): void {
  target.on(
    "Network.requestWillBeSent",
    ({ requestId: id, type = "Other", wallTime, timestamp, redirectResponse, redirectHasExtraInfo, ...begun }) => {
      if (/^(data|blob):/.test(begun.request.url.slice(0, 5))) return;
      if (redirectResponse) {
        const response = recordedResponse(redirectResponse, kept);
        kept.end(id, timestamp, { response, isRedirect: true, hasExtraInfo: redirectHasExtraInfo });
        kept.release(id);
      }
      const { url, headers, postDataEntries, hasPostData } = begun.request;
      const bodyBytes = postDataEntries ? bytesOf(postDataEntries) : hasPostData ? -1 : 0;
      const request = { method: shortened(begun.request.method), url, headers, bodyBytes };
      const initiator = { type: begun.initiator.type, ...(begun.initiator.url === undefined ? {} : { url: begun.initiator.url }) };
      const times = { wallTime: wallTime * 1000, startedAt: timestamp * 1000 };
      const unknown = { bodyBytes: 0, sentBytes: 0, isCached: false, outcome: "pending" } as const;
      kept.begin({ id, target, request, type: type.toLowerCase(), initiator, ...times, ...unknown });
    },
  );
  target.on("Network.responseReceived", ({ requestId, response, hasExtraInfo }) =>
    kept.change(requestId, (request) => Object.assign(request, { target, response: recordedResponse(response, kept), hasExtraInfo })),
  );
  target.on("Network.requestServedFromCache", ({ requestId }) =>
    kept.change(requestId, (request) => Object.assign(request, { isCached: true })),
  );
  target.on("Network.dataReceived", ({ requestId, dataLength, encodedDataLength }) =>
    kept.change(requestId, (request) => {
      request.bodyBytes += dataLength;
      request.sentBytes += encodedDataLength;
    }),
  );
  target.on("Network.loadingFinished", ({ requestId, timestamp, encodedDataLength }) => {
    kept.change(requestId, (request) => {
      const headerBytes = request.response?.encodedDataLength ?? 0;
      request.sentBytes = Math.max(request.sentBytes, encodedDataLength - headerBytes);
    });
    kept.end(requestId, timestamp, {});
  });
  target.on("Network.loadingFailed", ({ requestId, timestamp, errorText, canceled }) =>
    kept.change(requestId, ({ response }) => {
      // Chromium cancels a script or style sheet whose response has an error status.
      const outcome = canceled && (response?.status ?? 0) >= 400 ? "done" : "failed";
      kept.end(requestId, timestamp, { outcome, reason: canceled ? "cancelled" : errorText });
    }),
  );
}

function bytesOf(entries: Protocol.Network.PostDataEntry[]): number {
  return entries.reduce((sum, { bytes = "" }) => sum + Buffer.byteLength(bytes, "base64"), 0);
}

/** Only what an archive contains, without the headers if there is no room for them. */
function recordedResponse(response: Protocol.Network.Response, kept: Kept): RecordedResponse {
  const { status, statusText, headers, mimeType, protocol, timing, fromDiskCache, fromServiceWorker, encodedDataLength } = response;
  return {
    ...{ status, statusText: shortened(statusText), mimeType: shortened(mimeType), encodedDataLength },
    ...(protocol !== undefined && { protocol }),
    ...(timing && { timing }),
    ...(fromDiskCache && { fromDiskCache }),
    ...(fromServiceWorker && { fromServiceWorker }),
    headers: kept.fits(sizeOf(headers)) ? headers : {},
  };
}

function shortened(text: string): string {
  return beginningOf(text, textMax);
}
