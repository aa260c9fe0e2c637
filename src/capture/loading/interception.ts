/** Intercepts the page's requests and applies every rule to each. No other code intercepts the captured page's requests. */

import type { Protocol } from "devtools-protocol";
import type { Tab } from "../../browser/tab.ts";

export interface PausedRequest {
  url: string;
  method: string;
  headers: Record<string, string>;
  /** The requesting frame, or the frame that the document is for. */
  frameId: string;
  type: ResourceType;
  /** Whether this is a navigation of the main frame, including redirects. */
  isMainDocument: boolean;
}

/** `by`: the option that aborts the request. `document`: HTML that is used as the response, in which case nothing is sent. */
export type RequestDecision =
  | { abort: true; by?: string | undefined }
  | { document: string }
  | { headers: Record<string, string> }
  | undefined;

/** Called for each request that an option blocks. `id` is its id in the Network domain. */
export type OnBlocked = (request: { id: string | undefined; url: string; type: ResourceType }, by: string) => void;

export interface RequestRule {
  /** Requests to pause; others continue without waiting for this process. The rule is also applied to requests that other rules pause. */
  pattern: Protocol.Fetch.RequestPattern;
  decide(request: PausedRequest): RequestDecision | Promise<RequestDecision>;
}

/** Schemes that bypass the egress filter. Chromium blocks them for web pages; they are also blocked here when requests are intercepted. */
const forbidden = [{ urlPattern: "file:*" }, { urlPattern: "view-source:*" }];

/**
 * Call before the navigation. Without rules, nothing is intercepted: whatever the patterns, interception makes every request pass through
 * the browser's main thread, which makes a page with thirty requests take a tenth longer to load. Chromium drops added headers on a
 * redirect, so they are sent only to the origin they were meant for.
 */
export async function interceptRequests(tab: Tab, rules: RequestRule[], onBlocked?: OnBlocked): Promise<void> {
  if (rules.length === 0) return;
  tab.on("Fetch.requestPaused", (paused) => {
    judge(tab, rules, paused)
      .catch(() => abort) // fails closed: aborts the request
      .then((verdict) => {
        if (verdict && "abort" in verdict && verdict.by)
          onBlocked?.({ id: paused.networkId, url: paused.request.url, type: resourceTypeOf(paused) }, verdict.by);
        return answer(tab, paused, verdict);
      })
      .catch(() => {}); // the request is gone with its page
  });
  await tab.send("Fetch.enable", { patterns: [...forbidden, ...rules.map((rule) => rule.pattern)] });
}

const abort: { abort: true; by?: string } = { abort: true };

/** Rules that abort take precedence, then rules that provide a response; otherwise the headers of all rules are merged. */
async function judge(tab: Tab, rules: RequestRule[], paused: Protocol.Fetch.RequestPausedEvent): Promise<RequestDecision> {
  const { request, frameId, resourceType } = paused;
  if (/^(file|view-source):/i.test(request.url)) return abort;
  const asked: PausedRequest = {
    url: request.url,
    method: request.method,
    headers: request.headers,
    frameId,
    type: resourceTypeOf(paused),
    isMainDocument: resourceType === "Document" && frameId === tab.frameId,
  };
  const verdicts = await Promise.all(rules.map((rule) => rule.decide(asked)));
  const aborting = verdicts.find((verdict) => verdict && "abort" in verdict);
  const answering = verdicts.find((verdict) => verdict && "document" in verdict);
  if (aborting ?? answering) return aborting ?? answering;
  const headers = Object.assign({}, ...verdicts.map((verdict) => (verdict && "headers" in verdict ? verdict.headers : {})));
  return Object.keys(headers).length > 0 ? { headers } : undefined;
}

async function answer(tab: Tab, { requestId, request }: Protocol.Fetch.RequestPausedEvent, verdict: RequestDecision): Promise<void> {
  if (verdict && "abort" in verdict) await tab.send("Fetch.failRequest", { requestId, errorReason: "BlockedByClient" });
  else if (verdict && "document" in verdict) await tab.send("Fetch.fulfillRequest", { requestId, ...asResponse(verdict.document) });
  else
    await tab.send("Fetch.continueRequest", { requestId, ...(verdict ? { headers: withHeaders(request.headers, verdict.headers) } : {}) });
}

/** A successful response with this HTML. */
export function asResponse(document: string): Omit<Protocol.Fetch.FulfillRequestRequest, "requestId"> {
  const responseHeaders = [{ name: "Content-Type", value: "text/html; charset=utf-8" }];
  return { responseCode: 200, responseHeaders, body: Buffer.from(document).toString("base64") };
}

function withHeaders(own: Record<string, string>, added: Record<string, string>): Protocol.Fetch.HeaderEntry[] {
  const replaced = new Set(Object.keys(added).map((name) => name.toLowerCase()));
  const kept = Object.entries(own).filter(([name]) => !replaced.has(name.toLowerCase()));
  return [...kept, ...Object.entries(added)].map(([name, value]) => ({ name, value }));
}

/** Chromium's resource types in lower case. */
export const resourceTypes = [
  "document",
  "stylesheet",
  "image",
  "media",
  "font",
  "script",
  "texttrack",
  "xhr",
  "fetch",
  "prefetch",
  "eventsource",
  "websocket",
  "manifest",
  "signedexchange",
  "ping",
  "cspviolationreport",
  "preflight",
  "other",
] as const;

export type ResourceType = (typeof resourceTypes)[number];

/**
 * Interception reports coarser types: fetches, event streams and preflights are all XHR, subtitles are media, prefetches are Fetch. The
 * request's headers distinguish them, except for `fetch()` and XMLHttpRequest.
 */
function resourceTypeOf({ request, resourceType }: Protocol.Fetch.RequestPausedEvent): ResourceType {
  const header = (name: string) => Object.entries(request.headers).find(([own]) => own.toLowerCase() === name)?.[1] ?? "";
  if (resourceType === "XHR" || resourceType === "Fetch") {
    if (header("accept") === "text/event-stream") return "eventsource";
    if (request.method === "OPTIONS" && header("access-control-request-method")) return "preflight";
    if (/prefetch/.test(header("sec-purpose") + header("purpose"))) return "prefetch";
  }
  if (resourceType === "Media" && !header("range")) return "texttrack";
  const named = resourceType.toLowerCase();
  return resourceTypes.find((type) => type === named) ?? "other";
}

/** The coarser types that interception may report for requests of `type`. */
export function pausedAs(type: ResourceType): Protocol.Network.ResourceType[] {
  return carriers[type];
}

const carriers: Record<ResourceType, Protocol.Network.ResourceType[]> = {
  document: ["Document"],
  stylesheet: ["Stylesheet"],
  image: ["Image"],
  media: ["Media"],
  font: ["Font"],
  script: ["Script"],
  texttrack: ["Media"],
  xhr: ["XHR", "Fetch"],
  fetch: ["XHR", "Fetch"],
  prefetch: ["Fetch", "XHR"],
  eventsource: ["EventSource", "XHR"],
  websocket: [], // never paused; blocked by replacing the constructor
  manifest: [], // requested only by headed browsers
  signedexchange: [], // arrives in response to a request of another type
  ping: ["Ping"],
  cspviolationreport: ["CSPViolationReport"],
  preflight: ["XHR", "Fetch"],
  other: ["Other"],
};
