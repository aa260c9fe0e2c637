/** A document that converts Markdown to HTML in the page, because parsing untrusted text could block this process. */

import { readFile } from "node:fs/promises";
import { librariesSource } from "../documents/page-text.ts";
import { writeMarkdown } from "../in-page/write-markdown.ts";

let parts: Promise<[libraries: string, styles: string]> | undefined;

/** HTML that shows `markdown`. */
export async function markdownDocument(markdown: string): Promise<string> {
  parts ??= readParts();
  const [libraries, styles] = await parts;
  return [
    `<!doctype html><html><head><meta charset="utf-8"><style>${styles}</style></head><body><script>`,
    // Base64 can't contain an end tag for the script, and its decoding time depends only on the length.
    `(${writeMarkdown})(${libraries}.marked, "${Buffer.from(markdown).toString("base64")}")</script>`,
  ].join("\n");
}

async function readParts(): Promise<[string, string]> {
  return await Promise.all([
    librariesSource({ marked: new URL("marked.umd.js", import.meta.resolve("marked")).href }),
    readFile(new URL("markdown.css", import.meta.url), "utf8"),
  ]);
}
