/** Reads the bodies of recorded responses. */

import type { Work } from "../option-group.ts";
import type { RecordedRequest } from "./request-record.ts";

/** Maximum total length of all bodies, in characters. */
const bodiesMax = 10_000_000;
/** Timeout for reading the bodies. */
const bodiesMs = 5_000;
/** Number of bodies read concurrently. */
const readAtOnce = 4;
const textTypes =
  /^(text\/|application\/(json|javascript|x-javascript|xml|x-ndjson|graphql)|[a-z]+\/[\w.-]{1,100}\+(json|xml)|image\/svg\+xml)/i;

/** A body in the format of an HTTP archive. */
export interface Body {
  text: string;
  encoding?: "base64";
}

/** Reads the bodies of text responses. Adds a warning if some are missing. */
export async function readBodies({ tab, warn }: Work, requests: readonly RecordedRequest[]): Promise<Map<RecordedRequest, Body>> {
  const bodies = new Map<RecordedRequest, Body>();
  const wanted = requests.filter(isReadable);
  let characters = 0;
  let isComplete = true;
  const readNext = async () => {
    for (let request = wanted.shift(); request; request = wanted.shift()) {
      const body = await request.target.send("Network.getResponseBody", { requestId: request.id }).catch(() => undefined); // it wasn't kept
      if (!body || characters + body.body.length > bodiesMax) {
        isComplete = false;
        continue;
      }
      characters += body.body.length;
      bodies.set(request, { text: body.body, ...(body.base64Encoded ? { encoding: "base64" as const } : {}) });
    }
  };
  const isInTime = await tab.within(bodiesMs, Promise.all(Array.from({ length: readAtOnce }, readNext)));
  wanted.length = 0;
  if (!isInTime || !isComplete)
    warn("some bodies were left out of the archive: they were too large, no longer available, or not read in time");
  return new Map(bodies);
}

function isReadable({ response, outcome, isRedirect, bodyBytes }: RecordedRequest): boolean {
  return outcome === "done" && !isRedirect && bodyBytes > 0 && textTypes.test(response?.mimeType ?? "");
}
