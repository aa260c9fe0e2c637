/** What is taken from filter lists and what isn't: AdGuard's dialect, rule by rule. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { FiltersEngine, Request } from "@ghostery/adblocker";
import { readRules } from "../../scripts/blocklists/translate.ts";

function engineOf(...lines: string[]): FiltersEngine {
  const { networkFilters, cosmeticFilters } = readRules(lines.join("\r\n"));
  return new FiltersEngine({ networkFilters, cosmeticFilters });
}

function stylesOf(...lines: string[]): string {
  return engineOf(...lines).getCosmeticsFilters({
    url: "https://a.example/",
    hostname: "a.example",
    domain: "a.example",
    classes: ["x", "y"],
  }).styles;
}

const left = (...lines: string[]) => readRules(lines.join("\n")).leftOut;

test("a rule blocks what it names, and its exception doesn't", () => {
  const engine = engineOf("! a comment", "", "||ads.example^$third-party", "@@||ads.example^$domain=a.example");
  const blocks = (sourceUrl: string) =>
    engine.match(Request.fromRawDetails({ url: "https://ads.example/x.js", sourceUrl, type: "script" })).match;
  assert.equal(blocks("https://b.example/"), true);
  assert.equal(blocks("https://a.example/"), false);
});

test("hiding and its exceptions are kept, also written as a selector with words of AdGuard's own where a browser knows it", () => {
  assert.match(stylesOf("a.example##.x"), /^\.x \{ display: none !important; \}$/);
  assert.equal(stylesOf("##.x", "a.example#@#.x"), "");
  assert.match(stylesOf("a.example#?#.x:has(> .y)"), /^\.x:has\(> \.y\) \{/);
});

test("CSS of a list becomes a style, without what removes or fetches something", () => {
  assert.match(stylesOf("a.example#$#body { overflow: auto !important; }"), /^body \{ overflow: auto !important \}$/);
  assert.equal(
    left(
      "a.example#$#.x { remove: true; }",
      "a.example#$#.x { background: url(https://b.example/) }",
      "a.example#$#.x { background: u\\72l(https://b.example/) }",
      "a.example#$#@media (width > 1px) { .x { color: red } }",
      "a.example#$#.x } body { color: red",
    ),
    5,
  );
});

test("code of a list is left out, and what would change answers, headers or addresses", () => {
  const lines = [
    "a.example#%#//scriptlet('abort-on-property-read', 'x')",
    "a.example##+js(abort-on-property-read, x)",
    "a.example#$?#.x { remove: true; }",
    "a.example#?#.x:contains(y)",
    'a.example$$script[tag-content="x"]',
    "[$path=/x]a.example##.x",
    "||a.example^$removeparam=x",
    "||a.example^$csp=script-src 'none'",
    "||a.example^$replace=/x/y/",
    "||a.example^$cookie=x",
    "||a.example^$removeheader=location",
    "@@||a.example^$jsinject",
  ];
  for (const line of lines) assert.equal(left(line), 1, line);
});
