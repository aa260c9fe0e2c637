/** The turns of the event loop in which all requests together parse and validate large bodies. */

import { createTurns } from "../../shared/turns.ts";

/** Time per turn, in milliseconds. An output takes about a quarter of a millisecond, but some take several. */
const turnMs = 10;

/** Resolves when it is the account's turn: one body at a time, since many arrive together, and each may take over ten milliseconds. */
export const turnOf = createTurns(1);

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
