/** Signs what feed readers fetch without a key: the feed of a watch, and the images of its differences. */

import { createHmac, hkdfSync, timingSafeEqual } from "node:crypto";

export interface FeedLinks {
  /** Path and query of the feed, which is valid as long as the watch exists. */
  feed(watchId: string): string;
  /** The same of a difference image. */
  difference(watchId: string, runId: string): string;
  /** Whether the signature is of this feed, or of the difference image of this run. */
  verify(signature: string, watchId: string, runId?: string): boolean;
}

/** @param secret `AUTH_SECRET`; a dedicated key is derived from it, so that no other signature of the service is valid. */
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
