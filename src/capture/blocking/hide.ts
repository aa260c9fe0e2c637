/** Hides elements of a page by CSS that the page can't refuse: adopted style sheets are bound by no Content-Security-Policy. */

import type { Tab } from "../../browser/tab.ts";
import { firstInvalid } from "../in-page/elements.ts";
import { apply, type CssRule, type Hidden, type Seen, seen } from "../in-page/hide.ts";

/** CSS as the engine writes it: selectors each on a line of its own, the braces behind the last one. */
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

/** `undefined` where nothing has come since the page was given rules. */
export function look(tab: Tab): Promise<Seen | undefined> {
  return tab.evaluate(seen, namesMax);
}

/** Of a page with more names than this the rest isn't looked up: no page makes the lists work for ever. */
const namesMax = 5_000;

/** Resolves with whether `banners` had something to hide. */
export function hide(tab: Tab, hidden: Hidden): Promise<boolean> {
  return tab.evaluate(apply, hidden);
}

/** The first of `selectors` that no browser understands. */
export function invalidSelector(tab: Tab, selectors: string[]): Promise<string | undefined> {
  return tab.evaluate(firstInvalid, selectors);
}
