/** The client: all calls of one service with one key. */

import type { Screenshot, TakeRequest } from "./api.generated.ts";
import { type Batches, createBatches } from "./batches.ts";
import { type CallOptions, type ClientSettings, createCalls } from "./calls.ts";
import { type Captures, createCaptures } from "./captures.ts";
import { createSessions, type Sessions } from "./sessions.ts";
import { type Signing, signedUrl } from "./signed-url.ts";
import { createTake, type Taken, type TakeOptions } from "./take.ts";
import { createWatches, type Watches } from "./watches.ts";

export interface Tintype {
  /** The bytes of a screenshot. @throws {TintypeError} as all calls, or the reason of an aborted signal. */
  take(request: TakeOptions, options?: CallOptions): Promise<Taken>;
  /** Captures in the same way, and returns a link and what is known of the page. */
  describe(request: TakeOptions, options?: CallOptions): Promise<Screenshot>;
  /** A link for `<img>` that can't be changed; needs the key's signing secret, and sends nothing. */
  signedUrl(request: Omit<TakeRequest, "signature">, signing: Signing): Promise<string>;
  captures: Captures;
  batches: Batches;
  sessions: Sessions;
  watches: Watches;
}

/** @throws {TypeError} for an address that nothing can be sent to, or a key that can't be sent. */
export function createTintype(settings: ClientSettings): Tintype {
  const calls = createCalls(settings);
  const base = settings.url.replace(/\/+$/, "");
  return {
    ...createTake(calls),
    signedUrl: (request, signing) => signedUrl(base, settings.key, request, signing),
    captures: createCaptures(calls),
    batches: createBatches(calls),
    sessions: createSessions(calls),
    watches: createWatches(calls),
  };
}
