/** Hides elements with adopted style sheets, which the page's Content-Security-Policy doesn't restrict. */

import type { Tab } from "../../browser/tab.ts";
import { firstInvalid } from "../in-page/elements.ts";
import { apply, type CssRule, type Hidden, type Seen, seen } from "../in-page/hide.ts";

/** Parses CSS in the engine's format: one selector per line, with the braces after the last one. */
export function cssRules(css: string): CssRule[] {
  return css
    .split(/(?<=\})\n+/)
    .filter((text) => text.trim() !== "")
    .map((text) => {
      const brace = text.lastIndexOf(" { ");
      return { selectors: text.slice(0, brace).split(",\n"), style: text.slice(brace + 3, text.lastIndexOf("}")) };
    });
}

export function hidingRule(selectors: string[]): CssRule {
  return { selectors, style: "display: none !important" };
}

/** Undefined if the document hasn't changed since the last call. */
export function readFeatures(tab: Tab): Promise<Seen | undefined> {
  return tab.evaluate(seen, namesMax);
}

/** Maximum number of names to look up in the lists, which limits the work that a page can cause. */
const namesMax = 5_000;

/** Resolves to true if `banners` matched any element. */
export function hide(tab: Tab, hidden: Hidden): Promise<boolean> {
  return tab.evaluate(apply, hidden);
}

/** The first invalid selector, if any. */
export function invalidSelector(tab: Tab, selectors: string[]): Promise<string | undefined> {
  return tab.evaluate(firstInvalid, selectors);
}
