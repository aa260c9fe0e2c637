/** Translation of AdGuard's filter rules. */

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

const leftOutOf = (...lines: string[]) => readRules(lines.join("\n")).leftOut;

test("blocking rules and their exceptions are kept", () => {
  const engine = engineOf("! a comment", "", "||ads.example^$third-party", "@@||ads.example^$domain=a.example");
  const blocks = (sourceUrl: string) =>
    engine.match(Request.fromRawDetails({ url: "https://ads.example/x.js", sourceUrl, type: "script" })).match;
  assert.equal(blocks("https://b.example/"), true);
  assert.equal(blocks("https://a.example/"), false);
});

test("hiding rules and their exceptions are kept, even in extended syntax if the selector is standard CSS", () => {
  assert.match(stylesOf("a.example##.x"), /^\.x \{ display: none !important; \}$/);
  assert.equal(stylesOf("##.x", "a.example#@#.x"), "");
  assert.match(stylesOf("a.example#?#.x:has(> .y)"), /^\.x:has\(> \.y\) \{/);
});

test("CSS rules are kept, except those that remove elements or load URLs", () => {
  assert.match(stylesOf("a.example#$#body { overflow: auto !important; }"), /^body \{ overflow: auto !important \}$/);
  assert.equal(
    leftOutOf(
      "a.example#$#.x { remove: true; }",
      "a.example#$#.x { background: url(https://b.example/) }",
      "a.example#$#.x { background: u\\72l(https://b.example/) }",
      "a.example#$#@media (width > 1px) { .x { color: red } }",
      "a.example#$#.x } body { color: red",
    ),
    5,
  );
});

test("scriptlets and rules that modify responses, headers or URLs are left out", () => {
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
  for (const line of lines) assert.equal(leftOutOf(line), 1, line);
});
