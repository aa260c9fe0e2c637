/** `on_timeout=partial`: captures the page's current state shortly before the deadline if the capture isn't done by then. */

import { BrowserHung, BrowserLost, PageCrashed } from "../../browser/chromium-errors.ts";
import { AppError, isFailure } from "../../shared/errors.ts";
import type { Work } from "../option-group.ts";
import type { Capture, CaptureRequest } from "../request.ts";
import { contentAppears } from "../take-shot.ts";
import { assertStatus } from "../verdict/verdict.ts";

/** How long before the deadline the partial capture starts: this time or, with a short timeout, this share of the timeout. */
const marginMaxMs = 1_500;
const marginShare = 0.25;
/** Share of the margin that is reserved for the response. */
const responseShare = 0.2;
const firstLookMs = 150;

/**
 * Returns the result of `complete`, or a partial capture if that times out or isn't done shortly before the deadline. The page is not
 * touched until then, so a capture that finishes earlier costs nothing extra.
 * @param shootNow captures the page in its current state, in at most `timeoutMs`.
 * @throws anything that `complete` throws; {AppError}, {PageCrashed} or {BrowserLost} from `shootNow`; {AppError} `target_timeout` if the
 *   page has shown nothing by the deadline, `host_returned_error` for a status in `fail_on_status`.
 */
export async function completeOrPartial(
  work: Work,
  { options, deadlineAt }: CaptureRequest,
  complete: Promise<Capture>,
  shootNow: (timeoutMs: number) => Promise<Capture>,
): Promise<Capture> {
  const { tab } = work;
  const marginMs = Math.min(marginMaxMs, options.timeout * 1000 * marginShare);
  const leftMs = (reservedMs = marginMs * responseShare) => Math.max(0, deadlineAt - reservedMs - performance.now());
  let timeout: AppError | undefined;
  const completeInTime = complete.catch((error) => {
    if (!isFailure(error, "target_timeout")) throw error;
    timeout = error;
    return undefined;
  });

  const done = await tab.resultWithin(leftMs(marginMs), completeInTime);
  if (done) return done;
  const isShooting = work.waitsFor === "the screenshot" && !timeout;
  const late = isShooting ? await tab.resultWithin(leftMs() / 2, completeInTime) : undefined;
  if (late) return late;

  const { waitsFor } = work;
  const shootShown = async (ms: number): Promise<Capture | undefined> => {
    if (waitsFor === undefined || !(await contentAppears(tab, ms))) return undefined; // the target has not responded
    const shown = await shootNow(leftMs()).catch(ignoreChanges);
    work.waitsFor = waitsFor; // restored for the timeout error
    if (shown) assertStatus(shown.target.status, options.fail_on_status);
    return shown;
  };
  const partial = (capture: Capture) => markPartial(capture, work, options.timeout);
  const first = await shootShown(Math.min(firstLookMs, leftMs()));
  const whole = await tab.resultWithin(first && !timeout ? leftMs() : 0, completeInTime);
  if (whole) return whole;
  if (first) return partial(first);
  // The content may be waiting only for a script or style sheet that never arrives.
  if (waitsFor !== undefined) tab.closeConnections();
  const second = (await shootShown(leftMs())) ?? (await tab.resultWithin(Number.POSITIVE_INFINITY, completeInTime));
  if (second) return waitsFor === undefined ? second : partial(second);
  throw timeout;
}

/** Ignores errors from a page that changed or is too busy to be captured: the complete capture may still finish in time. */
function ignoreChanges(error: unknown): undefined {
  const isFinal = error instanceof AppError || error instanceof PageCrashed || error instanceof BrowserLost;
  if (isFinal && !(error instanceof BrowserHung)) throw error;
}

function markPartial(capture: Capture, { waitsFor, shot }: Work, timeout: number): Capture {
  const shows = shot.isMeasured && !shot.clip ? "the viewport at that moment" : "the page at that moment";
  const what = `the timeout of ${timeout} s was reached while the capture was waiting for ${waitsFor}: the screenshot shows ${shows}`;
  const { kind, reasons } = capture.verdict;
  const others = ["ok", "unknown", "blank"].includes(kind) ? [] : reasons;
  return {
    ...capture,
    verdict: { kind: "partial", confidence: 1, reasons: [`${what.charAt(0).toUpperCase()}${what.slice(1)}.`, ...others] },
    warnings: [...capture.warnings, what],
    waitEnded: "timeout",
  };
}
