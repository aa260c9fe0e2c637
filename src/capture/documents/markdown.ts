/** `format=markdown`: the page's main content, extracted in the page's own process so that no page can keep the service busy. */

import { flatCopy } from "../in-page/flat-copy.ts";
import { formulaReader } from "../in-page/formulas.ts";
import { findContent, mainPart, withoutFalseHints } from "../in-page/main-content.ts";
import { keepMarkdown, markdownRules, missingText } from "../in-page/markdown.ts";
import { joinCodeLines, plainInlines, plainTables, spreadCells } from "../in-page/plain-tables.ts";
import { codeReader } from "../in-page/read-code.ts";
import { collectText } from "../in-page/serialize.ts";
import { fieldText, separatorBefore, tablePartOf } from "../in-page/shown-parts.ts";
import type { Work } from "../option-group.ts";
import { librariesSource, readText } from "./page-text.ts";

/** CommonJS modules that don't import anything; `turndown`'s browser build uses the browser's HTML parser. */
const libraries = {
  Readability: import.meta.resolve("@mozilla/readability/Readability.js"),
  TurndownService: import.meta.resolve("turndown/lib/turndown.browser.cjs.js"),
  tables: import.meta.resolve("@joplin/turndown-plugin-gfm/lib/turndown-plugin-gfm.cjs.js"),
};

let script: Promise<string> | undefined;

async function load(): Promise<string> {
  return `(isElement) => {
    const libraries = ${await librariesSource(libraries)};
    const readers = { codeOf: (${codeReader})(), formulaOf: (${formulaReader})(), fieldText: ${fieldText},
      separatorBefore: ${separatorBefore}, tablePartOf: ${tablePartOf} };
    const found = (${findContent})(isElement, (root) => (${flatCopy})(root, readers),
      (copy, title) => (${mainPart})((${withoutFalseHints})(copy), title, libraries));
    (${keepMarkdown})((${plainInlines})((${spreadCells})((${plainTables})((${joinCodeLines})(found)))), libraries, ${markdownRules});
    const missing = (${missingText})(found.around, () => (${collectText})(isElement));
    return { missing, hasForeignFrame: found.hasForeignFrame, isCut: found.isCut };
  }`;
}

interface Outcome {
  missing: number;
  hasForeignFrame: boolean;
  isCut: boolean;
}

/** Share of the visible text that may be missing without a warning. */
const missingMax = 0.1;

export async function renderMarkdown({ tab, shot, warn }: Work): Promise<Buffer> {
  script ??= load();
  const { missing, hasForeignFrame, isCut } = (await tab.evaluateSource(await script, shot.isElement ?? false)) as Outcome;
  if (isCut) warn("the page is too large: its end is missing from the Markdown");
  if (missing > missingMax)
    warn(
      `about ${Math.round(missing * 100)}% of the visible text is not in the Markdown, which contains only the main content: use format=text to get all of the text`,
    );
  if (hasForeignFrame) warn("the page contains a cross-origin frame, whose text is missing: capture the frame's URL to get it");
  return await readText(tab, Promise.resolve());
}
