/** Headers as they were sent and received, including cookies and credentials. Chromium reports them apart from their requests. */

import type { Protocol } from "devtools-protocol";
import type { Target } from "../../browser/children.ts";

type Headers = Protocol.Network.Headers;

/** Characters that a header takes up in the archive, in addition to its name and value. */
const listedLength = 24;

/** Chromium's reports for one request id: one for each redirect, except those answered from a cache. */
interface Reported {
  /** A frame's document is reported by two targets, of which only the first counts. */
  target: Target;
  sent: Headers[];
  received: Headers[];
}

/** A request, as far as its headers are to be found. */
interface Chained {
  id: string;
  /** Whether Chromium reports its headers apart; undefined without a response. */
  isReportedApart?: boolean | undefined;
}

export interface SentAndReceived {
  sent: Headers | undefined;
  received: Headers | undefined;
}

export interface WireHeaders {
  listen(target: Target): void;
  /** The headers of each request for which they were reported. @param requests in the order in which they began. */
  of<Request extends Chained>(requests: readonly Request[]): Map<Request, SentAndReceived>;
}

/** @param fits whether there is room for so many characters. @param max number of requests. */
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
          if (request.isReportedApart === false) return [];
          const index = next.get(request.id) ?? 0;
          next.set(request.id, index + 1);
          const reported = byId.get(request.id);
          return [[request, { sent: reported?.sent[index], received: reported?.received[index] }] as const];
        }),
      );
    },
  };
}

/** Length of the headers as they are listed: each value of a header, which Chromium joins with newlines, with its name. */
export function sizeOf(headers: Headers): number {
  let size = 0;
  for (const name in headers) {
    const values = String(headers[name]);
    size += values.length + (name.length + listedLength) * values.split("\n").length;
  }
  return size;
}
