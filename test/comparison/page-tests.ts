/** `compare` on pages before and after one change, and on unchanged pages. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { compare } from "../../src/comparison/compare.ts";
import type { CompareOptions, Shot } from "../../src/comparison/comparison.ts";
import type { Captures } from "../support/captures.ts";
import { changedPages, unchangedPages } from "./pages.ts";
import { shoot } from "./shoot.ts";

export const everything: CompareOptions = { by: "both", threshold: 0, ignore: { boxes: [], selectors: [] } };

export async function shootPair(
  captures: Captures,
  one: string,
  other: string,
  parameters: Record<string, unknown> = {},
): Promise<[Shot, Shot]> {
  return [await shoot(captures, one, parameters), await shoot(captures, other, parameters)];
}

/** Registers a test for each page with one of these titles, by default for all. */
export function testComparedPages(captures: () => Captures, titles?: string[]): void {
  const chosen = ({ title }: { title: string }) => !titles || titles.includes(title);
  const all = [...changedPages, ...unchangedPages].map(({ title }) => title);
  for (const title of titles ?? []) if (!all.includes(title)) throw new Error(`There is no page "${title}".`);

  for (const { title, before: one, after: other, regions, selector, parameters } of changedPages.filter(chosen))
    test(`changed: ${title}`, async () => {
      const comparison = await compare(...(await shootPair(captures(), one, other, parameters)), everything);
      assert.deepEqual([comparison.isChanged, comparison.regions.length], [true, regions.length], JSON.stringify(comparison.regions));
      for (const [at, [kind, name]] of regions.entries()) {
        assert.equal(comparison.regions[at]?.kind, kind);
        assert.ok(comparison.regions[at]?.name.includes(name), `${comparison.regions[at]?.name} instead of ${name}`);
      }
      if (selector) assert.equal(comparison.regions[0]?.selector, selector);
    });

  for (const { title, page, parameters } of unchangedPages.filter(chosen))
    test(`unchanged: ${title}`, async () => {
      const { isChanged, changedShare, regions } = await compare(...(await shootPair(captures(), page, page, parameters)), everything);
      assert.deepEqual([isChanged, changedShare, regions], [false, 0, []]);
    });
}
