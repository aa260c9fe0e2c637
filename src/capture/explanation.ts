/** Records what happens during a capture, for the `explain` option; without it, nothing is recorded. */

import type { Refusal, Tab } from "../browser/tab.ts";
import { createPauses } from "../shared/turns.ts";
import type { ResourceType } from "./loading/interception.ts";
import { networkError, reportRequests } from "./loading/traffic.ts";
import { type LoggedMessage, readConsole } from "./logs/page-console.ts";
import { withoutSecrets } from "./logs/secrets.ts";

/**
 * Times are in milliseconds; `at` counts from when the capture got its browser. Text is truncated, lists are bounded, and credentials are
 * removed from URLs and messages as in `format=har`.
 */
export interface Explanation {
  /** Steps of the capture, in order. */
  steps: { at: number; text: string }[];
  /** Redirects of the page itself. */
  redirects: { from: string; to: string; status: number }[];
  /** In the order in which they began. Requests made by cross-origin frames are excluded. */
  requests: ExplainedRequest[];
  /** Number of all requests, listed or not. */
  requests_total: number;
  /** Connections that were refused. */
  refused: { host: string; port: number; reason: string }[];
  /** The page's errors and warnings; empty if the capture failed or if text is hidden. */
  console: { level: "error" | "warning"; text: string; source: string | null }[];
}

export interface ExplainedRequest {
  at: number;
  /** Null if the request was still pending when the capture ended. */
  duration: number | null;
  url: string;
  type: string;
  /** Null if there was no response. */
  status: number | null;
  /** Bytes received, including headers. */
  bytes: number | null;
  outcome: "done" | "failed" | "blocked" | "pending";
  /** A failed request's error, or the option that blocked the request. */
  reason: string | null;
}

export interface Recorder {
  /** Records the capture in `tab`, or starts over if the capture is repeated in another browser. Call this before the navigation. */
  follow(tab: Tab): Promise<void>;
  step(text: string): void;
  /** Omits everything that may contain hidden text, even if already recorded: console messages, and URLs except for their origins. */
  hide(): void;
  /** @param by the option that blocked the request. */
  blocked(request: { id: string | undefined; url: string; type: ResourceType }, by: string): void;
  /** Returns the recording so far. Later steps are still added to it; later requests aren't. */
  soFar(): Explanation;
  /** Like `soFar`, plus the page's errors and warnings unless text is hidden. */
  complete(): Promise<Explanation>;
}

const listedMax = { steps: 100, redirects: 20, requests: 200, refused: 50, console: 50 };
/** Maximum number of recorded requests. A page can send any number; the rest are only counted. */
const recordedMax = 2_000;
const textMax = 300;

export function createRecorder(isHidden = false): Recorder {
  let tab: Tab | undefined;
  let started = performance.now();
  let steps: Explanation["steps"] = [];
  let log: RequestLog | undefined;
  const now = () => Math.round(performance.now() - started);

  const addressed = (url: string) => (isHidden ? `${URL.parse(url)?.origin ?? "null"}/…` : url);
  const soFar = (): Explanation => ({
    steps,
    redirects: (log?.redirects ?? []).map(({ from, to, status }) => ({ from: addressed(from), to: addressed(to), status })),
    requests: worthListing(log?.requests() ?? []).map((request) => ({ ...request, url: addressed(request.url) })),
    requests_total: log?.total() ?? 0,
    refused: (tab?.refusals() ?? []).slice(0, listedMax.refused).map(describeRefusal),
    console: [],
  });

  return {
    follow: (followed) => {
      tab = followed;
      started = performance.now();
      steps = [];
      log = logRequests(tab, now);
      return reportRequests(tab);
    },
    step: (text) => {
      if (steps.length < listedMax.steps) steps.push({ at: now(), text: shown(text) });
    },
    hide: () => {
      isHidden = true;
    },
    blocked: (request, by) => log?.block(request, by),
    soFar,
    complete: async () => {
      const { messages } = tab && !isHidden ? await readConsole(tab, listedMax.console, "problems") : { messages: [] };
      const logged: Explanation["console"] = [];
      const pause = createPauses();
      for (const message of messages) {
        await pause();
        logged.push({ level: message.level as "error" | "warning", text: shown(message.text), source: sourceIn(message) });
      }
      return { ...soFar(), console: logged };
    },
  };
}

interface RequestLog {
  redirects: Explanation["redirects"];
  requests(): ExplainedRequest[];
  total(): number;
  block: Recorder["blocked"];
}

/** @param now returns the milliseconds since the recording began. */
function logRequests(tab: Tab, now: () => number): RequestLog {
  const redirects: RequestLog["redirects"] = [];
  const requests = new Map<string, ExplainedRequest>();
  let total = 0;
  let eventClockOffsetMs: number | undefined;

  const at = (timestamp: number) => {
    eventClockOffsetMs ??= now() - timestamp * 1000;
    return Math.max(0, Math.round(timestamp * 1000 + eventClockOffsetMs));
  };
  const begin = (id: string, request: Pick<ExplainedRequest, "at" | "url" | "type">) => {
    total += 1;
    if (requests.size >= recordedMax) return;
    const url = shown(request.url);
    requests.set(id, { ...request, url, duration: null, status: null, bytes: null, outcome: "pending", reason: null });
  };
  const end = (request: ExplainedRequest | undefined, timestamp: number, result: Partial<ExplainedRequest>) => {
    if (request && request.outcome === "pending") Object.assign(request, { duration: Math.max(0, at(timestamp) - request.at) }, result);
  };

  tab.on("Network.requestWillBeSent", ({ requestId, request, type = "Other", timestamp, redirectResponse, frameId }) => {
    const { url } = request;
    if (redirectResponse) {
      const { url: from, status } = redirectResponse;
      if (type === "Document" && frameId === tab.frameId && redirects.length < listedMax.redirects)
        redirects.push({ from: shown(from), to: shown(url), status });
      const redirected = requests.get(requestId);
      end(redirected, timestamp, { outcome: "done", status });
      requests.delete(requestId); // the next request in the chain has the same id
      if (redirected) requests.set(`${requestId} ${total}`, redirected);
    }
    // `block` may have recorded the request already: Chromium may pause a request before reporting it.
    if (!requests.has(requestId)) begin(requestId, { at: at(timestamp), url, type: type.toLowerCase() });
  });
  tab.on("Network.responseReceived", ({ requestId, response: { status } }) => {
    const request = requests.get(requestId);
    if (request) request.status = status;
  });
  tab.on("Network.loadingFinished", ({ requestId, timestamp, encodedDataLength }) =>
    end(requests.get(requestId), timestamp, { outcome: "done", bytes: Math.round(encodedDataLength) }),
  );
  tab.on("Network.loadingFailed", ({ requestId, timestamp, ...failure }) => {
    end(requests.get(requestId), timestamp, outcomeOf(failure, requests.get(requestId)?.status ?? 0));
  });

  return {
    redirects,
    requests: () => [...requests.values()].map((request) => ({ ...request })).sort((a, b) => a.at - b.at),
    total: () => total,
    block: ({ id, url, type }, by) => {
      const key = id ?? `blocked ${total}`;
      if (!requests.has(key)) begin(key, { at: now(), url, type });
      const request = requests.get(key);
      if (request) Object.assign(request, { outcome: "blocked", reason: by, duration: now() - request.at });
    },
  };
}

/** Chromium cancels a script or style sheet whose response has an error status. */
function outcomeOf({ canceled, errorText }: { canceled?: boolean; errorText: string }, status: number): Partial<ExplainedRequest> {
  if (canceled && status >= 400) return { outcome: "done" };
  return { outcome: "failed", reason: canceled ? "cancelled" : networkError(errorText) };
}

/** In chronological order. Up to half of the list is for unsuccessful or pending requests; the earliest remaining ones fill the rest. */
function worthListing(requests: ExplainedRequest[]): ExplainedRequest[] {
  const remarkable = requests.filter(({ outcome, status }) => outcome !== "done" || (status ?? 0) >= 400);
  const ranked = [...new Set([...remarkable.slice(0, listedMax.requests / 2), ...requests])];
  const listed = new Set(ranked.slice(0, listedMax.requests));
  return requests.filter((request) => listed.has(request));
}

/** The URL without its query, and the line number; null if unknown. */
function sourceIn({ url, line }: LoggedMessage): string | null {
  return url === null ? null : shown(`${url.split("?", 1)[0]}:${line ?? 0}`);
}

/** Removes credentials before truncating, because truncated ones would not be recognized. */
function shown(text: string): string {
  return cut(withoutSecrets(text));
}

const cut = (text: string) => (text.length > textMax ? `${text.slice(0, textMax - 1)}…` : text);

const refusalReasons: Record<string, string> = {
  connect_timeout: "the connection timed out",
  connection_failed: "the connection failed",
  connection_refused: "the connection was refused",
  byte_budget: "the capture's data limit was reached",
  socket_limit: "too many concurrent connections",
  name_not_resolved: "the name does not resolve to a public address",
  proxy_unreachable: "the proxy could not be reached",
  proxy_timeout: "the proxy did not connect in time",
  proxy_authentication: "the proxy refused the user name and password",
  proxy_refused: "the proxy refused to connect",
  proxy_invalid: "the proxy's response was invalid",
  not_encrypted: "the connection is not encrypted, so the proxy could read the session's cookies",
};

/** Omits the resolved address, because it would reveal which internal names exist. */
function describeRefusal({ host, port, reason, asUnresolved }: Refusal): Explanation["refused"][number] {
  const known = asUnresolved ? "name_not_resolved" : reason;
  return { host: cut(host), port, reason: refusalReasons[known] ?? "the address is blocked" };
}
