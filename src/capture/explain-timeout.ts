/** Tells in the error of a capture that ran out of time what it was waiting for. */

import { AppError } from "../errors.ts";
import type { Work } from "./option-group.ts";

/** All waiters of a capture get the same error, whichever of them sees it first: so it is completed in place. */
export function explainTimeout(signal: AbortSignal, work: Work): void {
  const explain = () => {
    const error: unknown = signal.reason;
    if (error instanceof AppError && error.code === "target_timeout")
      error.message = `${error.message} The capture was waiting for ${work.waitsFor ?? "the target's answer"}.`;
  };
  signal.addEventListener("abort", explain, { once: true });
}
