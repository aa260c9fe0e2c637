/** Resource types: Chromium's, and those used by callers. */

import type { Protocol } from "devtools-protocol";

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
export function resourceTypeOf({ request, resourceType }: Protocol.Fetch.RequestPausedEvent): ResourceType {
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

/** The types that interception uses for requests that callers know as `type`; it distinguishes fewer. */
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
  websocket: [], // never paused; the page is prevented from opening them
  manifest: [], // only requested by a browser with windows
  signedexchange: [], // arrives in response to a request of another type
  ping: ["Ping"],
  cspviolationreport: ["CSPViolationReport"],
  preflight: ["XHR", "Fetch"],
  other: ["Other"],
};
