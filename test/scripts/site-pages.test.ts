/** The pages of the documentation website: all documents, with links to other pages, and images of options in their sections. */

import assert from "node:assert/strict";
import { globSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { pageFiles, pagePath, pageText, titleOf, withGallery } from "../../scripts/site-pages.ts";
import { root } from "../../scripts/stack/folders.ts";

const files = pageFiles(root);
const pages = new Set(files);

test("every document is a page, once, and has a title", () => {
  assert.deepEqual(
    globSync("docs/*.md", { cwd: root }).filter((file) => !pages.has(file)),
    [],
  );
  assert.equal(pages.size, files.length);
  for (const file of files) assert.notEqual(titleOf(pageText(root, file, { pages })), "", file);
});

test("links between documents lead to pages; links to other files become text, or links to the repository", () => {
  const paths = new Set(files.map((file) => `/${pagePath(file)}`));
  for (const file of files) {
    const text = pageText(root, file, { pages }).replaceAll(/^( *)(```+)[^\n]*\n[\s\S]*?^ *\2[^\n]*$/gm, "");
    for (const [, mark, target = ""] of text.matchAll(/(!?)\[[^\]]*\]\((?![a-z]+:|#)([^)\s]+)\)/g))
      if (!mark) assert.ok(paths.has(target.split("#", 1)[0] ?? ""), `${file}: ${target}`);
  }
  const address = "https://forge.example/tintype";
  assert.match(pageText(root, "README.md", { pages, address }), /\(https:\/\/forge\.example\/tintype\/openapi\.yaml\)/);
  assert.match(pageText(root, "README.md", { pages, address }), /\[docs\/batches\.md\]\(\/docs\/batches\.md\)/);
});

test("images from the gallery are in the sections of their options", (t) => {
  const gallery = mkdtempSync(join(tmpdir(), "tintype-gallery-"));
  t.after(() => rmSync(gallery, { recursive: true }));
  writeFileSync(join(gallery, "full_page-1.png"), "");
  const text = withGallery(pageText(root, "docs/options.md", { pages }), gallery, (picture) => `./gallery/${picture}`);
  const [section = ""] = text.split(/^(?=## )/m).filter((part) => part.includes("./gallery/"));
  assert.match(section, /^\| `full_page` +\|/m);
  assert.equal(text.split("./gallery/").length, 2);
});
