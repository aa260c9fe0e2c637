/** Signs URLs that feed readers fetch without a key: a watch's feed and difference images. */

import { createHmac, hkdfSync, timingSafeEqual } from "node:crypto";

export interface FeedLinks {
  /** Path and query of the feed; works for as long as the watch exists. */
  feed(watchId: string): string;
  /** Path and query of a run's difference image; works for as long as the run and its screenshot are kept. */
  difference(watchId: string, runId: string): string;
  /** Whether the signature belongs to this feed or, given `runId`, to that run's difference image. */
  verify(signature: string, watchId: string, runId?: string): boolean;
}

/** @param secret `AUTH_SECRET`; a dedicated key is derived from it, so that the service's other signatures are not accepted here. */
export function createFeedLinks(secret: string): FeedLinks {
  const key = Buffer.from(hkdfSync("sha256", secret, "", "tintype watch feeds", 32));
  const signatureOf = (...ids: string[]) => createHmac("sha256", key).update(ids.join("\n")).digest("base64url");
  return {
    feed: (watchId) => `/v1/watches/${watchId}/feed.atom?signature=${signatureOf(watchId)}`,
    difference: (watchId, runId) => `/v1/watches/${watchId}/runs/${runId}/difference.png?signature=${signatureOf(watchId, runId)}`,
    verify(signature, watchId, runId) {
      const right = Buffer.from(signatureOf(watchId, ...(runId === undefined ? [] : [runId])));
      const given = Buffer.from(signature);
      return given.length === right.length && timingSafeEqual(given, right);
    },
  };
}
