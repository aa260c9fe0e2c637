/** Captures a part of a page that may be outside the viewport. */

import type { Protocol } from "devtools-protocol";
import type { Tab } from "../../browser/tab.ts";

/**
 * The page neither learns of it nor is laid out for it: Chromium draws all of a document (`mainFrameClipsContent` in `browser/flags.ts`), and
 * only moves the part to the top left corner.
 * @throws {BrowserHung} when the screenshot takes longer than `timeoutMs`.
 */
export function captureBeyondViewport(tab: Tab, params: Protocol.Page.CaptureScreenshotRequest, timeoutMs: number): Promise<Buffer> {
  return tab.captureScreenshot({ ...params, optimizeForSpeed: true }, timeoutMs);
}
