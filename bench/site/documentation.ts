/** A typical documentation site: Fastify's, rendered on the server or in the browser. */

import { readFileSync } from "node:fs";
import highlight from "highlight.js";
import { Marked, type Tokens } from "marked";
import { packageFile } from "./packages.ts";

const chapters = ["Server", "Routes", "Request", "Reply", "Hooks", "Lifecycle", "Errors", "Logging", "Plugins", "Decorators"];

const marked = new Marked({
  renderer: {
    code({ text, lang }: Tokens.Code) {
      const language = highlight.getLanguage(lang ?? "") ? (lang as string) : "plaintext";
      return `<pre><code class="hljs">${highlight.highlight(text, { language }).value}</code></pre>`;
    },
  },
});

function chapter(name: string): string {
  return marked.parse(readFileSync(packageFile("fastify", `docs/Reference/${name}.md`), "utf8"), { async: false });
}

function documentPage(title: string, names: string[]): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${title}</title>
<link rel="stylesheet" href="/fonts.css?faces=inter/400,inter/500,inter/700,jetbrains-mono/400,jetbrains-mono/700">
<link rel="stylesheet" href="/npm/github-markdown-css/github-markdown-light.css">
<link rel="stylesheet" href="/npm/highlight.js/styles/github.css">
<style>
  body { margin: 0; display: grid; grid-template-columns: 260px minmax(0, 880px); gap: 40px }
  nav { position: sticky; top: 0; height: 100vh; box-sizing: border-box; padding: 32px 24px; background: #f6f8fa; font: 500 15px/2 Inter, sans-serif }
  .markdown-body { padding: 32px 0; font-family: Inter, sans-serif } .markdown-body code, .markdown-body pre { font-family: "JetBrains Mono", monospace }
</style></head><body><nav>${chapters.map((name) => `<div>${name}</div>`).join("")}</nav>
<main class="markdown-body">${names.map(chapter).join("\n")}</main></body></html>`;
}

export function articlePage(): string {
  return documentPage("Request", ["Request"]);
}

/** About 21,000 pixels high: above Chromium's texture limit, below Tintype's height limit. */
export function longPage(): string {
  return documentPage("Reference", ["Request", "Logging", "ContentTypeParser"]);
}

/** Empty until its script has loaded the text. */
export function docsifyPage(): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Reference</title>
<link rel="stylesheet" href="/npm/docsify/dist/themes/core.min.css">
</head><body><div id="app"></div>
<script>window.$docsify = { name: "Reference", basePath: "/npm/fastify/docs/Reference/", homepage: "Request.md", loadSidebar: false, routerMode: "hash" };</script>
<script src="/npm/docsify/dist/docsify.min.js"></script></body></html>`;
}
