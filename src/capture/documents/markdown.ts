/** `format=markdown`: the main content. It is extracted in the page's own process, so that no page can keep the service busy. */

import { findContent, keepMarkdown } from "../in-page/markdown.ts";
import { plainTables } from "../in-page/plain-tables.ts";
import type { Work } from "../option-group.ts";
import { librariesSource } from "./libraries.ts";
import { readText } from "./read-text.ts";

/** CommonJS without further imports; `turndown`'s build for browsers parses with the browser. */
const libraries = {
  Readability: import.meta.resolve("@mozilla/readability/Readability.js"),
  TurndownService: import.meta.resolve("turndown/lib/turndown.browser.cjs.js"),
  tables: import.meta.resolve("@joplin/turndown-plugin-gfm/lib/turndown-plugin-gfm.cjs.js"),
};

let script: Promise<string> | undefined;

async function load(): Promise<string> {
  return `(isElement) => {
    const libraries = ${await librariesSource(libraries)};
    (${keepMarkdown})((${plainTables})((${findContent})(isElement, libraries)), libraries);
  }`;
}

export async function captureMarkdown({ tab, shot }: Work): Promise<Buffer> {
  script ??= load();
  return await readText(tab, tab.evaluateSource(await script, shot.isElement ?? false));
}
