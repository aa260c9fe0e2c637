/** Which links in Markdown files count as broken. */

import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { brokenLinks } from "../../scripts/links.ts";

function broken(t: TestContext, text: string): string[] {
  const root = mkdtempSync(join(tmpdir(), "tintype-links-"));
  t.after(() => rmSync(root, { recursive: true }));
  mkdirSync(join(root, "docs"));
  writeFileSync(join(root, "docs", "there.md"), "# One word\n\n## `code` & [a link](x.md)!\n\n## One word\n\n```\n# Not one\n```\n");
  writeFileSync(join(root, "docs", "page.md"), text);
  return brokenLinks(root, ["docs/page.md"]);
}

const good = [
  "[x](there.md)",
  "[x](./there.md#one-word)",
  "[x](there.md#one-word-1)",
  "[x](there.md#code--a-link)",
  "[x](../docs)",
  "[x](/docs/there.md)",
  '[x](there.md "with a title")',
  "[x](https://example.com/nowhere)",
  "[x](mailto:a@example.com)",
  "# Here\n[x](#here)",
  "`[x](nowhere.md)`",
  "```\n[x](nowhere.md)\n```",
  "<!-- [x](nowhere.md) -->",
  "[x]\n\n[x]: there.md",
];
for (const text of good) test(`${JSON.stringify(text)} is not reported`, (t) => assert.deepEqual(broken(t, text), []));

const bad: [string, RegExp][] = [
  ["\n[x](nowhere.md)", /^docs\/page\.md:2: nowhere\.md does not exist$/],
  ["![x](nowhere.png)", /does not exist/],
  ["[x](there.md#two-words)", /is not a heading/],
  ["[x](there.md#not-one)", /is not a heading/],
  ["[x](#nowhere)", /is not a heading/],
  ["[x](../../elsewhere.md)", /points outside the project/],
  ["[x]\n\n[x]: nowhere.md", /:3: nowhere\.md does not exist/],
  ['<img src="nowhere.png">', /does not exist/],
  ["`a` [x](nowhere.md) `b`", /does not exist/],
];
for (const [text, message] of bad) {
  test(`${JSON.stringify(text)} is reported as broken`, (t) => {
    const found = broken(t, text);
    assert.equal(found.length, 1);
    assert.match(found[0] ?? "", message);
  });
}
