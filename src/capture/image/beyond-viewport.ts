/** Captures a part of a page that may be outside the viewport. */

import type { Protocol } from "devtools-protocol";
import type { Tab } from "../../browser/tab.ts";
import { nextFrame } from "../in-page/pass-over.ts";
import { hideResizes, showResizes } from "../in-page/window-size.ts";

/** Time limit for preparing a page that blocks its main thread; the screenshot itself has a longer one. */
const preparedMs = 500;
const attemptsMax = 3;

/**
 * Chromium briefly resizes the window to 1 × 1 pixels and back (`PageHandler::CaptureScreenshot`), and on a busy machine the page may be
 * laid out in between: a page that collapses its menu in a narrow window would then show it collapsed. Resize listeners are therefore
 * suppressed, and the image is captured again if anything else, such as a media query or an observer, may have noticed.
 * @throws {BrowserHung} if a screenshot takes longer than `timeoutMs`.
 */
export async function captureBeyondViewport(tab: Tab, params: Protocol.Page.CaptureScreenshotRequest, timeoutMs: number): Promise<Buffer> {
  for (let attempt = 1; ; attempt += 1) {
    await tab.within(preparedMs, tab.evaluate(hideResizes));
    const image = await tab.captureScreenshot({ ...params, captureBeyondViewport: true, optimizeForSpeed: true }, timeoutMs);
    const isSpoilt = await tab.resultWithin(preparedMs, tab.evaluate(showResizes));
    if (!isSpoilt || attempt === attemptsMax) return image;
    for (let frame = 0; frame < 2; frame += 1) await tab.within(preparedMs, tab.waitFor(nextFrame));
  }
}
