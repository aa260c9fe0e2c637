/** `format=text`, `html` and `metadata`: documents that a script in the page assembles as text. */

import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { Tab } from "../../browser/tab.ts";
import { AppError } from "../../shared/errors.ts";
import { documentFacts } from "../in-page/document-facts.ts";
import { encodedPart } from "../in-page/kept-text.ts";
import { collectMetadata, structuredData } from "../in-page/metadata.ts";
import { adoptedReader, collectText, serializeDocument } from "../in-page/serialize.ts";
import { stillInAnyWindow } from "../in-page/still-rules.ts";
import type { Work } from "../option-group.ts";

/** The page's visible text, in reading order. */
export async function renderText({ tab, shot }: Work): Promise<Buffer> {
  return await readText(tab, tab.evaluate(collectText, shot.isElement ?? false));
}

/** The page's metadata, such as its title, canonical URL and structured data, as JSON. */
export async function renderMetadata({ tab }: Work): Promise<Buffer> {
  const { status } = await tab.evaluate(documentFacts);
  return await readText(tab, tab.evaluate(collectMetadata, status || null, await tab.evaluate(structuredData)));
}

const htmlSource = `(isElement, ownCss) => (${serializeDocument})(isElement, (${adoptedReader})(ownCss))`;
const ownCss = `${Object.values(stillInAnyWindow).join("")}*{caret-color:transparent!important}`;

/** The document's current DOM. */
export async function renderHtml({ tab, shot }: Work): Promise<Buffer> {
  return await readText(tab, tab.evaluateSource(htmlSource, shot.isElement ?? false, ownCss));
}

/** Maximum size of a document; larger ones are rejected. */
const bytesMax = 50_000_000;
const partBytes = 512 * 1024;

/**
 * Reads the text in parts: parsing one large message would block the service.
 * @param kept resolves once a script has assigned the text to `globalThis.tintypeText`.
 * @throws {AppError} `document_too_large`; {Error} if the document was replaced during the read.
 */
export async function readText(tab: Tab, kept: Promise<unknown>): Promise<Buffer> {
  await kept;
  let text = Buffer.alloc(0);
  for (let start = 0, length = 1; start < length; start += partBytes) {
    const part = await tab.evaluate(encodedPart, start, partBytes);
    if (!part) throw new Error("The document was replaced during the read");
    length = part.length;
    if (length > bytesMax)
      throw new AppError("document_too_large", {
        message: `The document is ${length} bytes; at most ${bytesMax / 1e6} million are allowed.`,
      });
    if (start === 0) text = Buffer.alloc(length); // memory is committed only as parts are written
    text.write(part.base64, start, "base64");
  }
  return text;
}

/**
 * JavaScript source of an object with each library's exports.
 * @param files URLs of CommonJS modules without imports, keyed by the object's member names.
 */
export async function librariesSource(files: Record<string, string>): Promise<string> {
  const members = Object.entries(files).map(async ([name, url]) => {
    const source = await readFile(fileURLToPath(url), "utf8");
    return `${name}: (() => { const module = { exports: {} }; const exports = module.exports;\n${source}\nreturn module.exports; })(),`;
  });
  return `{${(await Promise.all(members)).join("\n")}}`;
}
