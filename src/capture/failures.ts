/** Maps failures of a capture to the errors that callers receive. */

import { BrowserHung, BrowserLost, isDocumentReplaced, PageCrashed, ScriptFailed } from "../browser/chromium-errors.ts";
import { AppError } from "../shared/errors.ts";
import { readFacts } from "./loading/navigate.ts";
import type { Work } from "./option-group.ts";

export function unstablePage(cause: unknown): AppError {
  return new AppError("target_timeout", { message: "The page kept navigating or changing and could not be captured.", cause });
}

/** Returns the error for the caller. `error` can take many forms if the page was replaced. */
export async function pageFailureOf(error: unknown, work: Work): Promise<unknown> {
  if (!(error instanceof ScriptFailed || isDocumentReplaced(error))) return error;
  try {
    await readFacts(work);
  } catch (other) {
    if (other instanceof AppError) return other; // a more precise error, because no page is shown
  }
  return unstablePage(error);
}

/** Returns the error for the caller once no other browser will be tried. */
export function failureOf(error: unknown): unknown {
  if (error instanceof PageCrashed) return new AppError("page_crashed", { cause: error });
  // The page hung in several browsers, so it is the cause.
  if (error instanceof BrowserHung) return new AppError("target_timeout", { cause: error });
  if (error instanceof BrowserLost) return new AppError("unavailable", { cause: error, retryAfterSeconds: 2 });
  return error;
}
