/** Headers as they were sent and received, including cookies and credentials. Chromium reports them separately from their requests. */

import type { Protocol } from "devtools-protocol";
import type { Target } from "../../browser/children.ts";

type Headers = Protocol.Network.Headers;

/** Characters that a header takes up in the archive, in addition to its name and value. */
const listedLength = 24;

/** Chromium's reports for one request id: one for each request in a redirect chain, except those answered from a cache. */
interface Reported {
  /** A frame's document is reported by two targets, of which only the first counts. */
  target: Target;
  sent: Headers[];
  received: Headers[];
}

/** The part of a request that is needed to find its headers. */
interface Chained {
  id: string;
  /** Whether Chromium reports its headers separately; undefined without a response. */
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

/** @param fits reserves room for that many characters, or returns false if there is none. @param max maximum number of requests. */
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

/** Length of the headers as they are listed, with the name repeated for each value. Chromium joins a header's values with newlines. */
export function sizeOf(headers: Headers): number {
  let size = 0;
  for (const name in headers) {
    const values = String(headers[name]);
    size += values.length + (name.length + listedLength) * values.split("\n").length;
  }
  return size;
}
