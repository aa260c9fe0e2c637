/** A document that renders Markdown by itself: parsing a stranger's text here could take this process any time. */

import { readFile } from "node:fs/promises";
import { writeMarkdown } from "../in-page/write-markdown.ts";

let parts: Promise<{ library: string; styles: string }> | undefined;

/** HTML that shows `markdown`. */
export async function markdownDocument(markdown: string): Promise<string> {
  parts ??= readParts();
  const { library, styles } = await parts;
  return [
    `<!doctype html><html><head><meta charset="utf-8"><style>${styles}</style></head><body><script>`,
    `{const module = { exports: {} }; const exports = module.exports; ${library};`,
    // In Base64 no text can end the script, and none takes longer than another.
    `(${writeMarkdown})(module.exports, "${Buffer.from(markdown).toString("base64")}")}</script>`,
  ].join("\n");
}

async function readParts() {
  const [library, styles] = await Promise.all([
    readFile(new URL("marked.umd.js", import.meta.resolve("marked")), "utf8"),
    readFile(new URL("markdown.css", import.meta.url), "utf8"),
  ]);
  return { library, styles };
}
