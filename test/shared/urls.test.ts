/** URLs from outside, whose hosts may be of any length. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { canParseUrl, parseUrl } from "../../src/shared/urls.ts";

/** Different characters of another script: the more precede a character, the longer it takes to convert. */
const chinese = (length: number) => Array.from({ length }, (_, index) => String.fromCodePoint(0x4e00 + index)).join("");

test("a URL with a long host in another script isn't parsed, however it is spelled", () => {
  const long = chinese(1_500);
  const spellings = [
    `http://${long}`,
    `https://user:password@${long}:80/path`,
    ` \0http:${long}`,
    `HTTP:\\\\/\\${long}`,
    `h\ttt\np:/\r/\n${long}?query`,
    `http://${encodeURIComponent(long)}/`,
    `//${long}`,
  ];
  for (const spelling of spellings) {
    assert.ok(URL.canParse(spelling, "https://example.com"), "otherwise this proves nothing");
    assert.equal(parseUrl(spelling, "https://example.com"), null, spelling.slice(0, 20));
  }
});

test("all other URLs are parsed as before", () => {
  const name = Array.from({ length: 4 }, () => chinese(15)).join(".");
  for (const text of [
    `http://${name}/`,
    `http://${encodeURIComponent(name)}/`,
    `http://${"a".repeat(5_000)}/`,
    `https://example.com/${chinese(1_500)}?${chinese(1_500)}#${chinese(1_500)}`,
    `https://example.com?${encodeURIComponent(chinese(1_500))}`,
    `data:text/html,${chinese(1_500)}`,
    `https://${"%41".repeat(200)}@example.com/`,
    chinese(1_500),
    "http://",
  ]) {
    assert.equal(parseUrl(text)?.href, URL.parse(text)?.href, text.slice(0, 40));
    assert.equal(canParseUrl(text), URL.canParse(text), text.slice(0, 40));
  }
});
