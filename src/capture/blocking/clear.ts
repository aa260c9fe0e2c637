/** Hides what the filter lists match in a loaded page, and rejects cookies. */

import { isDocumentReplaced } from "../../browser/chromium-errors.ts";
import type { Tab } from "../../browser/tab.ts";
import type { Recorder } from "../explanation.ts";
import type { Lifecycle } from "../loading/main-frame.ts";
import { refuseCookies } from "./consent.ts";
import { sweep, type Unwanted } from "./sweep.ts";

/**
 * Call again for elements added later. Takes as long as the slowest cookie rejection, or as long as the page is busy.
 * @throws like `Tab`.
 */
export async function clear(tab: Tab, lifecycle: Lifecycle, unwanted: Unwanted, recorder?: Recorder): Promise<void> {
  try {
    const swept = await sweep(tab, unwanted);
    if (!unwanted.lists.includes("cookie_banners") || !swept) return;
    const refused = await refuseCookies(tab, lifecycle, { url: swept.url, banners: swept.banner ? "hidden" : "shown" });
    if (swept.banner) recorder?.step("a cookie banner was hidden");
    if (refused) recorder?.step("cookies were rejected in the page's dialog");
    if (refused) await sweep(tab, unwanted, true);
  } catch (error) {
    // A page that keeps replacing its document is swept again later.
    if (!isDocumentReplaced(error)) throw error;
  }
}
