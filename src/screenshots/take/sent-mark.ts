/** Whether a capture's image has been sent from memory, on which its charge depends if the image can't be stored. */

import type { Clock } from "../../shared/clock.ts";
import { untilAborted, withDeadline } from "../../shared/deadline.ts";

/** Records whether a capture's image has been sent from memory. Shared by all requests that receive the capture. */
export interface SentMark {
  /** Call when a response with the image begins, even if its caller disconnects later. */
  markSent: () => void;
  /** Resolves once it is known whether the image was sent: a response has begun, no response can begin anymore, or `closing` aborts. */
  isSent(closing: AbortSignal): Promise<boolean>;
}

/** Time after the timeout for comparing outputs. No response begins later, since requests that share a capture have the same timeout. */
const graceMs = 60_000;

/** @param timeoutSeconds timeout of the capture's requests. */
export function createSentMark(clock: Clock, timeoutSeconds: number): SentMark {
  const sent = Promise.withResolvers<void>();
  const endsAt = clock.now() + timeoutSeconds * 1000 + graceMs;
  let isSent = false;
  return {
    markSent() {
      isSent = true;
      sent.resolve();
    },
    async isSent(closing) {
      const leftMs = endsAt - clock.now();
      if (!isSent && leftMs > 0) await withDeadline(untilAborted(sent.promise, closing), leftMs, () => {}).catch(() => {});
      return isSent;
    },
  };
}
