/** VitePress: the documentation as pages that need no other host, with a search in the page. Copied to `.vitepress` by scripts/site.ts. */

import { readFileSync } from "node:fs";
import { defineConfig } from "vitepress";

const { title, description, base, nav, sidebar } = JSON.parse(readFileSync(new URL("./pages.json", import.meta.url), "utf8"));

export default defineConfig({
  title,
  description,
  base,
  cleanUrls: false,
  lastUpdated: false,
  // Links are checked before, by scripts/site.ts, and by VitePress: a broken one fails the build. Those to a service on the reader's machine are examples.
  ignoreDeadLinks: "localhostLinks",
  markdown: { html: false, anchor: { slugify: githubAnchor } },
  // The documentation has double braces of its own.
  vue: { template: { compilerOptions: { delimiters: ["⟦⟦", "⟧⟧"] } } },
  themeConfig: { nav, sidebar, search: { provider: "local" }, outline: { level: [2, 3] } },
});

/** The anchors that links in the repository use. */
function githubAnchor(heading: string): string {
  return heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}\p{Pc} -]/gu, "")
    .replaceAll(" ", "-");
}
