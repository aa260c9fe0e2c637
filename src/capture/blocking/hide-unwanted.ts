/** Hides the elements of a page that match the requested lists, patterns and selectors. */

import type { Tab } from "../../browser/tab.ts";
import type { CssRule, Seen } from "../in-page/hide.ts";
import { cssRules, hide, hidingRule, readFeatures } from "./hide.ts";
import { filterList, type ListName } from "./lists.ts";
import { readPattern } from "./patterns.ts";
import { listThatBlocks } from "./requests.ts";

export interface Unwanted {
  lists: ListName[];
  patterns: string[];
  selectors: string[];
}

export interface Hidden {
  url: string;
  /** Whether a cookie banner was hidden. */
  banner: boolean;
}

/**
 * Call this again for elements added later. Returns undefined if there are none.
 * @param wasLocked whether a banner was removed that may have locked scrolling.
 */
export async function hideUnwanted(tab: Tab, { lists, patterns, selectors }: Unwanted, wasLocked = false): Promise<Hidden | undefined> {
  const seen = await readFeatures(tab);
  if (!seen && !wasLocked && selectors.length === 0) return undefined;
  const byList = seen ? await Promise.all(lists.map(async (name) => ({ name, rules: await rulesFor(name, seen) }))) : [];
  const banner = await hide(tab, {
    rules: byList.flatMap(({ rules }) => rules),
    everywhere: selectors.length > 0 ? [hidingRule(selectors)] : [],
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

function hides({ style }: CssRule): boolean {
  return style.includes("display: none");
}

/** URLs of blocked frames and images, whose empty elements should be hidden. */
async function refusedSources({ url: sourceUrl, sources }: Seen, lists: ListName[], patterns: string[]): Promise<string[]> {
  const matchers = patterns.map(readPattern);
  const refused = sources
    .filter(({ url }) => URL.canParse(url))
    .map(async ({ url, type }) =>
      matchers.some(({ matches }) => matches(url)) || (await listThatBlocks(lists, { url, sourceUrl, type })) ? [url] : [],
    );
  return (await Promise.all(refused)).flat();
}
