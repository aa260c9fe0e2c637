/** The one owner of request interception: asks every rule about each of the page's requests. */

import type { Protocol } from "devtools-protocol";
import type { Tab } from "../browser/tab.ts";

interface PausedRequest {
  url: string;
  headers: Record<string, string>;
  /** Navigation of the main frame, redirects included. */
  isMainDocument: boolean;
}

type Verdict = { abort: true } | { headers: Record<string, string> } | undefined;

export interface RequestRule {
  /** Which requests the rule wants to see; others aren't slowed by it. */
  pattern: Protocol.Fetch.RequestPattern;
  decide(request: PausedRequest): Verdict;
}

/** Never loaded by anyone: the egress wall is in the way of http, and these don't go through it. */
const forbidden = [{ urlPattern: "file:*" }, { urlPattern: "view-source:*" }];

/** Call before the navigation. Added headers are not kept by Chromium across a redirect, so they stay with the origin they were meant for. */
export async function interceptRequests(tab: Tab, rules: RequestRule[]): Promise<void> {
  tab.on("Fetch.requestPaused", ({ requestId, request, frameId, resourceType }) => {
    const asked = { url: request.url, headers: request.headers, isMainDocument: resourceType === "Document" && frameId === tab.frameId };
    const verdicts = rules.map((rule) => rule.decide(asked));
    const aborted = /^(file|view-source):/i.test(request.url) || verdicts.some((verdict) => verdict && "abort" in verdict);
    const headers = Object.assign({}, ...verdicts.map((verdict) => (verdict && "headers" in verdict ? verdict.headers : {})));
    const answer = aborted
      ? tab.send("Fetch.failRequest", { requestId, errorReason: "BlockedByClient" })
      : tab.send("Fetch.continueRequest", {
          requestId,
          ...(Object.keys(headers).length > 0 ? { headers: withHeaders(request.headers, headers) } : {}),
        });
    answer.catch(() => {}); // the request is gone with its page
  });
  await tab.send("Fetch.enable", { patterns: [...forbidden, ...rules.map((rule) => rule.pattern)] });
}

function withHeaders(own: Record<string, string>, added: Record<string, string>): Protocol.Fetch.HeaderEntry[] {
  const replaced = new Set(Object.keys(added).map((name) => name.toLowerCase()));
  const kept = Object.entries(own).filter(([name]) => !replaced.has(name.toLowerCase()));
  return [...kept, ...Object.entries(added)].map(([name, value]) => ({ name, value }));
}
