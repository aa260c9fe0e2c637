/** The compiled filter lists match URLs in linear time, and as the library would. */

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { before, test } from "node:test";
import { FiltersEngine, type NetworkFilter } from "@ghostery/adblocker";
import { superLinear } from "../../scripts/patterns/linear.ts";
import { filterList, listNames } from "../../src/capture/blocking/lists.ts";
import { wildcards } from "../../src/capture/blocking/wildcards.ts";
import { longestTurnAtBest } from "../support/longest-turn.ts";

let filters: NetworkFilter[];

before(async () => {
  const engines = await Promise.all(
    listNames.map(async (name) => FiltersEngine.deserialize(await readFile(new URL(`../../blocklists/${name}.engine`, import.meta.url)))),
  );
  filters = engines.flatMap((engine) => engine.getFilters().networkFilters);
});

for (const [pattern, text, isMatch] of [
  ["ads*banner", "/ads/1/banner.png", true],
  ["ads*banner", "/banner/ads", false],
  ["ads^", "/ads", true],
  ["ads^", "/ads?x", true],
  ["ads^", "/adserver", false],
  ["^ads^*^x^", "/ads/a/x", true],
  ["a^^", "/a", true],
  ["*", "", true],
] as const)
  test(`${pattern} ${isMatch ? "matches" : "does not match"} in ${text}`, () =>
    assert.equal(wildcards({ pattern, isLeftAnchored: false, isRightAnchored: false })(text), isMatch));

for (const [pattern, text, isMatch] of [
  ["a*b", "xab", false],
  ["a*b", "acbcb", true],
  ["a*b", "abc", false],
  ["a^", "a", true],
  ["a^", "a/", true],
  ["a^", "a//", false],
  ["a*^^", "a/", true],
  ["*b", "ab", true],
] as const)
  test(`|${pattern}| ${isMatch ? "matches" : "does not match"} ${text}`, () =>
    assert.equal(wildcards({ pattern, isLeftAnchored: true, isRightAnchored: true })(text), isMatch));

test("every pattern with wildcards in the lists matches what the library's regular expression matches", () => {
  let [seed, matching, count] = [1, 0, 0];
  const random = (below: number) => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed % below;
  };
  const fillers = ["", "", "/", "a", "?x=1", "-", ".js", "/a/b", "&"];
  for (const filter of filters) {
    const { filter: pattern } = filter;
    if (pattern === undefined || !filter.isRegex() || filter.isFullRegex()) continue;
    const source = `${filter.isLeftAnchor() ? "|" : ""}${pattern}${filter.isRightAnchor() ? "|" : ""}`;
    const regex = new RegExp(
      `${filter.isLeftAnchor() ? "^" : ""}${pattern
        .replace(/[|.$+?{}()[\]\\]/g, "\\$&")
        .replaceAll("*", ".*")
        .replaceAll("^", "(?:[^\\w\\d_.%-]|$)")}${filter.isRightAnchor() ? "$" : ""}`,
    );
    const matches = wildcards({ pattern, isLeftAnchored: filter.isLeftAnchor(), isRightAnchored: filter.isRightAnchor() });
    for (let tries = 0; tries < 6; tries += 1) {
      const filler = (): string => fillers[random(fillers.length)] ?? "";
      const made: string = pattern.replace(/[*^]/g, filler);
      const url: string = tries < 3 ? made : `${filler()}${made}${filler()}`;
      const expected = regex.test(url);
      assert.equal(matches(url), expected, `${source} in ${url}`);
      matching += expected ? 1 : 0;
      count += 1;
    }
  }
  assert.ok(matching > 1_000 && count - matching > 1_000, `${matching} of ${count} match`);
});

test("every regular expression in the lists is linear", () => {
  const regexes = filters.filter((filter) => filter.isFullRegex()).map((filter) => filter.getRegex());
  assert.ok(regexes.length > 100);
  for (const { source, flags } of regexes) assert.equal(superLinear(source, flags), undefined, source);
});

test("URLs that are made for a list's patterns are looked up within 20 ms each", async () => {
  const lists = await Promise.all(listNames.map(filterList));
  const urls = [
    `http://weatherzone.test/scripts/x/gtmhead/${"/".repeat(1950)}`,
    `http://x.test/${"://..biz/".repeat(215)}/bid/`,
    `http://kayak.test/ccpaconsentx/${"/".repeat(1950)}`,
    `http://a.com/tt/id/${".com/".repeat(390)}`,
    `http://example.test/${"ads/banner/".repeat(50_000)}`,
  ];
  for (const url of urls) {
    const { ms } = await longestTurnAtBest(async () => {
      for (const list of lists) for (const type of ["image", "script"]) list?.blocks({ url, sourceUrl: "http://page.test/", type });
    }, 20);
    assert.ok(ms < 160, `${ms} ms for ${url.slice(0, 50)}`); // eight lookups
  }
});
