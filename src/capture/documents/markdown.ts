/** `format=markdown`: the main content. It is extracted in the page's own process, so that no page can keep the service busy. */

import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { findContent, keepMarkdown } from "../in-page/markdown.ts";
import type { Work } from "../option-group.ts";
import { readText } from "./read-text.ts";

/** CommonJS without further imports; `turndown`'s build for browsers parses with the browser. */
const libraries = {
  Readability: import.meta.resolve("@mozilla/readability/Readability.js"),
  TurndownService: import.meta.resolve("turndown/lib/turndown.browser.cjs.js"),
  tables: import.meta.resolve("@joplin/turndown-plugin-gfm/lib/turndown-plugin-gfm.cjs.js"),
};

let script: Promise<string> | undefined;

/** The source of a function that keeps the Markdown. */
async function load(): Promise<string> {
  const loaded = Object.entries(libraries).map(async ([name, url]) => {
    const source = await readFile(fileURLToPath(url), "utf8");
    return `${name}: (() => { const module = { exports: {} }; const exports = module.exports;\n${source}\nreturn module.exports; })(),`;
  });
  return `(isElement) => {
    const libraries = {${(await Promise.all(loaded)).join("\n")}};
    (${keepMarkdown})((${findContent})(isElement, libraries), libraries);
  }`;
}

export async function captureMarkdown({ tab, shot }: Work): Promise<Buffer> {
  script ??= load();
  return await readText(tab, tab.evaluateSource(await script, shot.isElement ?? false));
}
