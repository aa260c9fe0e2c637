/** The client: all calls to one service with one key. */

import type { Screenshot, TakeRequest } from "./api.generated.ts";
import { type Batches, createBatches } from "./batches.ts";
import { type CallOptions, type ClientSettings, createCalls } from "./calls.ts";
import { type Captures, createCaptures } from "./captures.ts";
import { createDestinations, type Destinations } from "./destinations.ts";
import { createSessions, type Sessions } from "./sessions.ts";
import { type Signing, signedUrl } from "./signed-url.ts";
import { createTake, type Taken, type TakeOptions } from "./take.ts";
import { createWatches, type Watches } from "./watches.ts";

export interface Tintype {
  /** The bytes of a screenshot. @throws {TintypeError} like all calls, or the reason of an aborted signal. */
  take(request: TakeOptions, options?: CallOptions): Promise<Taken>;
  /** Captures in the same way, but returns a link and information about the page. */
  describe(request: TakeOptions, options?: CallOptions): Promise<Screenshot>;
  /** A link for `<img>` that can't be altered; requires the key's signing secret, and sends nothing. */
  signedUrl(request: Omit<TakeRequest, "signature">, signing: Signing): Promise<string>;
  captures: Captures;
  batches: Batches;
  sessions: Sessions;
  destinations: Destinations;
  watches: Watches;
}

/** @throws {TypeError} for a URL to which nothing can be sent, or a key that can't be sent. */
export function createTintype(settings: ClientSettings): Tintype {
  const calls = createCalls(settings);
  const base = settings.url.replace(/\/+$/, "");
  return {
    ...createTake(calls),
    signedUrl: (request, signing) => signedUrl(base, settings.key, request, signing),
    captures: createCaptures(calls),
    batches: createBatches(calls),
    sessions: createSessions(calls),
    destinations: createDestinations(calls),
    watches: createWatches(calls),
  };
}
