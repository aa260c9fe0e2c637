/** Hides elements that the filter lists match in a loaded page, and rejects cookies. */

import { isDocumentReplaced } from "../../browser/chromium-errors.ts";
import type { Tab } from "../../browser/tab.ts";
import type { Recorder } from "../explanation.ts";
import type { Lifecycle } from "../loading/main-frame.ts";
import { refuseCookies } from "./consent.ts";
import { hideUnwanted, type Unwanted } from "./hide-unwanted.ts";

/**
 * Call again for elements added later. Takes as long as the slowest cookie rejection, or as long as the page is busy.
 * @throws the same as `Tab`.
 */
export async function clear(tab: Tab, lifecycle: Lifecycle, unwanted: Unwanted, recorder?: Recorder): Promise<void> {
  try {
    const hidden = await hideUnwanted(tab, unwanted);
    if (!unwanted.lists.includes("cookie_banners") || !hidden) return;
    const refused = await refuseCookies(tab, lifecycle, { url: hidden.url, banners: hidden.banner ? "hidden" : "shown" });
    if (hidden.banner) recorder?.step("a cookie banner was hidden");
    if (refused) recorder?.step("cookies were rejected in the page's dialog");
    if (refused) await hideUnwanted(tab, unwanted, true);
  } catch (error) {
    // If the page keeps replacing its document, a later call hides the elements.
    if (!isDocumentReplaced(error)) throw error;
  }
}
