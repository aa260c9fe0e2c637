/** Results of other products' own test suites, which are run outside this repository and are not part of it. */

import type { Product } from "../../../src/http/compat/adapters.ts";

interface Suite {
  /** Which test cases, and at which commit. */
  cases: string;
  /** Passed. Pages on the internet were replaced by those of a local server. */
  held: number;
  /** Rejected with a 400 that states the reason. */
  refused: number;
  /** Test cases about operator settings, and about parts of the product without a counterpart here. */
  notApplicable: number;
  /** Failed test cases, and why callers are not affected. */
  different: readonly [count: number, what: string][];
  /** Remarks on the numbers. */
  note?: string;
  /** Parameters used by passed test cases whose requests got a 200. */
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
      [8, "a `timeout` of 10 ms becomes 1 s, our minimum, in which a fast page loads"],
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
    held: 109,
    refused: 67,
    notApplicable: 22,
    different: [
      [3, "`/health` is ours"],
      [3, "`singlePage` puts the whole document on one page despite page breaks"],
      [1, "`localStorage` is not kept between captures"],
    ],
    note: "For 15 of the passed cases, an error's text is worded differently. Log output is not compared.",
    names: [
      ..."url files header.html footer.html waitDelay waitForExpression waitForSelector emulatedMediaType emulatedMediaFeatures".split(" "),
      ..."cookies omitBackground width height deviceScaleFactor clip selector format quality optimizeForSpeed singlePage".split(" "),
      ..."landscape nativePageRanges generateDocumentOutline Gotenberg-Output-Filename Gotenberg-Trace".split(" "),
    ],
  },
};

/** The paragraph about the test suite in a product's section. */
export function suiteParagraph(product: Product): string[] {
  const suite = suites[product];
  if (!suite) return [];
  const { cases, held, refused, notApplicable, different, note } = suite;
  const others = different.reduce((sum, [count]) => sum + count, 0);
  const total = held + refused + notApplicable + others;
  const list = different.map(([count, what]) => `- ${count}: ${what}.`).join("\n");
  return [
    `Own suite: the ${total} ${cases}. **${held} pass**, ${refused} are rejected with a reason, ${notApplicable} don't apply because they test operator settings, and ${others} differ in ways that no caller depends on:`,
    list,
    ...(note ? [note] : []),
  ];
}
