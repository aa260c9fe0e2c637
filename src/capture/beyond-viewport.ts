/** Captures a part of a page that may be outside the viewport. */

import type { Protocol } from "devtools-protocol";
import type { Tab } from "../browser/tab.ts";
import { nextFrame } from "./in-page/pass-over.ts";
import { hideResizes, showResizes } from "./in-page/window-size.ts";

/** For a page that keeps its thread busy; the screenshot itself has a longer limit. */
const preparedMs = 500;
const attemptsMax = 3;

/**
 * Chromium gives the window 1 × 1 pixels and its size again (`PageHandler::CaptureScreenshot`), and a busy machine may lay the page out in
 * between. A page that folds its menu for a narrow window then shows it folded. Its resize listeners are therefore not called, and after
 * what else may notice, such as media queries and observers, the image is captured again.
 * @throws {BrowserHung} when a screenshot takes longer than `timeoutMs`.
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
