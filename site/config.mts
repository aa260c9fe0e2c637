/**
 * VitePress: the documentation as pages that don't need any other host, with search in the page. Copied to `.vitepress` by
 * scripts/site.ts.
 */

import { readFileSync } from "node:fs";
import { defineConfig, type MarkdownRenderer } from "vitepress";

const { title, description, base, nav, sidebar } = JSON.parse(readFileSync(new URL("./pages.json", import.meta.url), "utf8"));

export default defineConfig({
  title,
  description,
  base,
  cleanUrls: false,
  lastUpdated: false,
  // Links are already checked by scripts/site.ts, and again by VitePress: a broken one fails the build. Links to a service on the reader's
  // machine are examples.
  ignoreDeadLinks: "localhostLinks",
  markdown: { html: false, anchor: { slugify: githubAnchor }, config: keepBraces },
  themeConfig: { nav, sidebar, search: { provider: "local" }, outline: { level: [2, 3] } },
});

/** The documentation contains double braces of its own, which aren't Vue template expressions. */
function keepBraces({ renderer: { rules } }: MarkdownRenderer): void {
  for (const name of ["text", "code_inline"]) {
    const render = rules[name];
    if (render) rules[name] = (...given) => render(...given).replaceAll("{{", "&#123;&#123;");
  }
}

/** The anchors used by links in the repository. */
function githubAnchor(heading: string): string {
  return heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}\p{Pc} -]/gu, "")
    .replaceAll(" ", "-");
}
