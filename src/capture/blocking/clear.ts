/** Hides elements of a loaded page that match the filter lists, patterns or selectors, and rejects cookies. */

import { isDocumentReplaced } from "../../browser/chromium-errors.ts";
import type { Tab } from "../../browser/tab.ts";
import { wrongParameter } from "../../shared/errors.ts";
import { createPauses } from "../../shared/turns.ts";
import { canParseUrl } from "../../shared/urls.ts";
import type { Recorder } from "../explanation.ts";
import { firstInvalid } from "../in-page/elements.ts";
import { apply, type CssRule, seen as readFeatures, type Seen } from "../in-page/hide.ts";
import type { Lifecycle } from "../loading/main-frame.ts";
import { refuseCookies } from "./consent.ts";
import { filterList, type ListName } from "./lists.ts";
import { readPattern } from "./patterns.ts";
import { listThatBlocks } from "./requests.ts";

export interface Unwanted {
  lists: ListName[];
  patterns: string[];
  selectors: string[];
}

/**
 * Call this again for elements added later. It may take as long as the slowest cookie rejection, or longer if the page is busy.
 * @throws {BrowserHung | BrowserLost | PageCrashed}; the signal's reason if the capture is aborted. A replaced document is not an error.
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

/** Maximum number of names of each kind to look up in the lists, which limits the work that a page can cause. */
const namesMax = 5_000;

/**
 * Hides elements with adopted style sheets, which the page's Content-Security-Policy doesn't restrict. Call this again for elements added
 * later.
 * @param wasLocked whether a removed banner may have locked scrolling.
 * @returns the document's URL, and whether a cookie banner was hidden; undefined if the document hasn't changed since the last call.
 */
export async function hideUnwanted(tab: Tab, { lists, patterns, selectors }: Unwanted, wasLocked = false) {
  const seen = await tab.evaluate(readFeatures, namesMax);
  if (!seen && !wasLocked && selectors.length === 0) return undefined;
  const pause = createPauses();
  const byList: { name: ListName; rules: CssRule[] }[] = [];
  if (seen)
    for (const name of lists) {
      await pause(); // looking up all names in one list takes several milliseconds
      byList.push({ name, rules: await rulesFor(name, seen) });
    }
  const banner = await tab.evaluate(apply, {
    rules: byList.flatMap(({ rules }) => rules),
    everywhere: selectors.length > 0 ? [{ selectors, style: "display: none !important" }] : [],
    sources: seen ? await refusedSources(seen, lists, patterns) : [],
    banners: byList.filter(({ name }) => name === "cookie_banners").flatMap(({ rules }) => rules.filter(hides)),
    unlock: wasLocked,
  });
  return seen && { url: seen.url, banner };
}

async function rulesFor(name: ListName, seen: Seen): Promise<CssRule[]> {
  const list = await filterList(name);
  if (!list) return [];
  return cssRules(`${seen.known ? "" : list.styles(seen.url)}\n\n${list.stylesFor(seen.url, seen)}`);
}

/** Parses CSS in the engine's format: one selector per line, with the braces after the last one. */
function cssRules(css: string): CssRule[] {
  return css
    .split(/(?<=\})\n+/)
    .filter((text) => text.trim() !== "")
    .map((text) => {
      const brace = text.lastIndexOf(" { ");
      return { selectors: text.slice(0, brace).split(",\n"), style: text.slice(brace + 3, text.lastIndexOf("}")) };
    });
}

function hides({ style }: CssRule): boolean {
  return style.includes("display: none");
}

/** URLs of blocked frames and images, whose empty elements should be hidden. */
async function refusedSources({ url: sourceUrl, sources }: Seen, lists: ListName[], patterns: string[]): Promise<string[]> {
  const matchers = patterns.map(readPattern);
  const refused: string[] = [];
  const pause = createPauses();
  for (const { url, type } of sources) {
    await pause();
    if (!canParseUrl(url)) continue;
    const isRefused = matchers.some(({ matches }) => matches(url)) || (await listThatBlocks(lists, { url, sourceUrl, type })) !== undefined;
    if (isRefused) refused.push(url);
  }
  return refused;
}

/** @throws {AppError} `invalid_parameters` if one of the selectors in `parameter` is invalid. */
export async function assertSelectors(tab: Tab, parameter: string, selectors: string[]): Promise<void> {
  const invalid = await tab.evaluate(firstInvalid, selectors);
  if (invalid === undefined) return;
  throw wrongParameter(parameter, `contains ${JSON.stringify(invalid.slice(0, 200))}, which is not a CSS selector`, "CSS selectors");
}
