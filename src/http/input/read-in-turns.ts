/** Spreads the parsing and validation of all requests, except those with only a short query, over turns of the event loop. */

import { turnMs, turnOf } from "../../shared/turns.ts";

/**
 * Whether reading a request may cost enough for a turn: 2,000 characters of unknown names take a millisecond, and what a body says is also
 * checked, however short it is.
 * @param length of the query and the body.
 */
export function needsTurn(queryLength: number, length: number): boolean {
  return length > queryLength || queryLength > 256;
}

/** Runs `steps`, as many per turn as the time allows. @throws the reason of `disconnected` once the client has left. */
export async function readInTurns<T>(steps: Generator<void, T>, account: string, disconnected: AbortSignal): Promise<T> {
  for (;;) {
    await turnOf(account);
    disconnected.throwIfAborted();
    for (const began = performance.now(); performance.now() - began < turnMs; ) {
      const { done, value } = steps.next();
      if (done) return value;
    }
  }
}
