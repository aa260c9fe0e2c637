/** Adds to a timeout error what the capture was waiting for. */

import { AppError } from "../errors.ts";
import type { Work } from "./option-group.ts";

/** Changes the error in place, because all waiters of a capture share it. */
export function explainTimeout(signal: AbortSignal, work: Work): void {
  const explain = () => {
    const error: unknown = signal.reason;
    if (error instanceof AppError && error.code === "target_timeout")
      error.message = `${error.message} The capture was waiting for ${work.waitsFor ?? "the target's response"}.`;
  };
  signal.addEventListener("abort", explain, { once: true });
}
