/** Headers as sent and received, including cookies and credentials. Chromium reports them separately from their requests. */

import type { Protocol } from "devtools-protocol";
import type { Target } from "../../browser/children.ts";

type Headers = Protocol.Network.Headers;

/** Characters that the archive adds to each header's name and value. */
const listedLength = 24;

/** Chromium's reports for one request ID: one per request in a redirect chain, except those answered from a cache. */
interface Reported {
  /** The first target that reported the request. Two targets report a frame's document; the second is ignored. */
  target: Target;
  sent: Headers[];
  received: Headers[];
}

/** The fields needed to find a request's headers. */
interface Chained {
  id: string;
  /** Whether Chromium reports its headers separately; undefined if there is no response. */
  hasExtraInfo?: boolean | undefined;
}

export interface SentAndReceived {
  sent: Headers | undefined;
  received: Headers | undefined;
}

export interface WireHeaders {
  listen(target: Target): void;
  /** The reported headers of each request. @param requests in the order in which they began. */
  of<Request extends Chained>(requests: readonly Request[]): Map<Request, SentAndReceived>;
}

/** @param fits reserves room for that many characters, or returns false if there isn't enough. @param max maximum number of requests. */
export function createWireHeaders(fits: (characters: number) => boolean, max: number): WireHeaders {
  const byId = new Map<string, Reported>();
  let count = 0;
  const add = (target: Target, id: string, direction: "sent" | "received", headers: Headers) => {
    if (count >= 2 * max) return;
    const reported = byId.get(id) ?? { target, sent: [], received: [] };
    if (reported.target !== target) return;
    byId.set(id, reported);
    count += 1;
    reported[direction].push(fits(sizeOf(headers)) ? headers : {});
  };
  return {
    listen(target) {
      target.on("Network.requestWillBeSentExtraInfo", ({ requestId, headers }) => add(target, requestId, "sent", headers));
      target.on("Network.responseReceivedExtraInfo", ({ requestId, headers }) => add(target, requestId, "received", headers));
    },
    of(requests) {
      const next = new Map<string, number>();
      return new Map(
        requests.flatMap((request) => {
          if (request.hasExtraInfo === false) return [];
          const index = next.get(request.id) ?? 0;
          next.set(request.id, index + 1);
          const reported = byId.get(request.id);
          return [[request, { sent: reported?.sent[index], received: reported?.received[index] }] as const];
        }),
      );
    },
  };
}

/** Length of the headers in the archive, in characters. The archive lists each value separately; Chromium joins them with newlines. */
export function sizeOf(headers: Headers): number {
  let size = 0;
  for (const name in headers) {
    const values = String(headers[name]);
    size += values.length + (name.length + listedLength) * values.split("\n").length;
  }
  return size;
}
