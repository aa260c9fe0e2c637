/** What became of the cases of other products' own suites, which are run outside of this repository: no code of theirs is in it. */

import type { Product } from "../../../src/http/compat/adapters.ts";

interface Suite {
  /** Which cases, of which commit. */
  cases: string;
  /** Where a page of the internet was needed, one of a local server took its place. */
  held: number;
  /** Answered with a 400 that says why. */
  refused: number;
  /** Of settings of the product's operator, and of parts of it that have no counterpart. */
  notApplicable: number;
  /** Cases that fail, and why no caller would call it a defect. */
  different: readonly [count: number, what: string][];
  /** What remarks the numbers need. */
  note?: string;
  /** What requests of held cases have, and were answered with 200. */
  names: readonly string[];
}

export const suites: Partial<Record<Product, Suite>> = {
  browserless: {
    cases:
      "cases of `src/routes/{chromium,chrome}/tests/{screenshot,pdf,content,scrape}.spec.ts` of [browserless](https://github.com/browserless/browserless) 0e2f33e (August 2026)",
    held: 80,
    refused: 10,
    notApplicable: 19,
    different: [
      [8, "`GET` of a route is a 405 in JSON rather than a 404 as text"],
      [8, "a `timeout` of 10 ms is one of 1 s, our shortest, which a quick page meets"],
    ],
    names: [
      ..."bestAttempt cookies elements gotoOptions.waitUntil html options.fullPage options.landscape selector url".split(" "),
      ..."viewport.deviceScaleFactor viewport.height viewport.width waitForEvent.event waitForFunction.fn".split(" "),
      ..."waitForSelector.selector waitForTimeout".split(" "),
    ],
  },
  gotenberg: {
    cases:
      "scenarios of `/forms/chromium/**`, `/health` and `/version` in `test/integration` of [Gotenberg](https://github.com/gotenberg/gotenberg) 0b16b0a (August 2026)",
    held: 105,
    refused: 67,
    notApplicable: 26,
    different: [
      [3, "`/health` is ours"],
      [3, "`singlePage` has the whole document on its page, where page breaks leave the first part there"],
      [1, "nothing stays in `localStorage` from one capture to the next"],
    ],
    note: "Where an error's text is compared, ours has other words: 15 of those that hold. What is logged is not compared.",
    names: [
      ..."url files header.html footer.html waitDelay waitForExpression waitForSelector emulatedMediaType emulatedMediaFeatures".split(" "),
      ..."cookies omitBackground width height deviceScaleFactor clip selector format quality optimizeForSpeed singlePage".split(" "),
      ..."landscape nativePageRanges generateDocumentOutline Gotenberg-Output-Filename Gotenberg-Trace".split(" "),
    ],
  },
};

/** The paragraph of a product's section. */
export function suiteParagraph(product: Product): string[] {
  const suite = suites[product];
  if (!suite) return [];
  const { cases, held, refused, notApplicable, different, note } = suite;
  const others = different.reduce((sum, [count]) => sum + count, 0);
  const total = held + refused + notApplicable + others;
  const list = different.map(([count, what]) => `- ${count}: ${what}.`).join("\n");
  return [
    `Own suite: the ${total} ${cases}. **${held} hold**, ${refused} are refused with a reason, ${notApplicable} don't apply, because they are about settings of the product's operator, and ${others} differ, in what no caller depends on:`,
    list,
    ...(note ? [note] : []),
  ];
}
