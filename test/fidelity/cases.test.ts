/** The pages of the fidelity suite. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { cases } from "../../fidelity/cases.ts";
import { offline } from "../../fidelity/site/offline.ts";

test("half of the pages are held back", () => {
  const held = cases.filter((one) => one.held).length;
  assert.ok(Math.abs(cases.length - 2 * held) <= 1, `${held} of ${cases.length} pages`);
});

test("page names are unique, and each page has exactly one source", () => {
  assert.equal(new Set(cases.map(({ name }) => name)).size, cases.length);
  for (const { name, at, html } of cases) assert.ok((at === undefined) !== (html === undefined), name);
});

test("requests to external hosts are served locally or removed", () => {
  const page = `<script src="https://cdn.jsdelivr.net/npm/@scope/name@1.2.3/dist/a.js"></script><script src="//example.com/b.js"></script>
<link rel="stylesheet" href="https://fonts.googleapis.com/css"><img src="https://example.com/c.png"><a href="https://example.com/">d</a>`;
  assert.match(
    offline(page),
    /^<script src="\/npm\/@scope\/name\/dist\/a\.js"><\/script>\s*<img src="\/photographs\/\d+\.jpg"><a href="https:\/\/example\.com\/">d<\/a>$/,
  );
});
