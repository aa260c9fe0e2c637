/** VitePress: the documentation as pages that need no other host, with a search in the page. Copied to `.vitepress` by scripts/site.ts. */

import { readFileSync } from "node:fs";
import { defineConfig, type MarkdownRenderer } from "vitepress";

const { title, description, base, nav, sidebar } = JSON.parse(readFileSync(new URL("./pages.json", import.meta.url), "utf8"));

export default defineConfig({
  title,
  description,
  base,
  cleanUrls: false,
  lastUpdated: false,
  // Links are checked before, by scripts/site.ts, and by VitePress: a broken one fails the build. Those to a service on the reader's machine are examples.
  ignoreDeadLinks: "localhostLinks",
  markdown: { html: false, anchor: { slugify: githubAnchor }, config: keepBraces },
  themeConfig: { nav, sidebar, search: { provider: "local" }, outline: { level: [2, 3] } },
});

/** The documentation has double braces of its own, which aren't expressions of Vue's templates. */
function keepBraces({ renderer: { rules } }: MarkdownRenderer): void {
  for (const name of ["text", "code_inline"]) {
    const render = rules[name];
    if (render) rules[name] = (...given) => render(...given).replaceAll("{{", "&#123;&#123;");
  }
}

/** The anchors that links in the repository use. */
function githubAnchor(heading: string): string {
  return heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}\p{Pc} -]/gu, "")
    .replaceAll(" ", "-");
}
