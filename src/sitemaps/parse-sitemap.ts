/** Parses the URLs of a sitemap file as it arrives. */

import { setImmediate } from "node:timers/promises";
import { SaxesParser } from "saxes";
import { AppError } from "../shared/errors.ts";

export interface SitemapEntry {
  /** `file`: another file of the sitemap. */
  kind: "page" | "file";
  address: string;
}

const addressMax = 2_048;
/** Maximum nesting depth. Sitemaps have three levels, extensions a few more; the parser keeps a stack of open elements. */
const levelsMax = 20;
/** Maximum number of attributes per element, since the parser keeps all of them. */
const attributesMax = 100;
/**
 * Maximum length of a tag, text, comment, CDATA section, instruction or declaration, in characters. The parser buffers each until it ends,
 * some character by character, which takes thirty times as much memory. Long URLs, and licenses in comments, are much shorter.
 */
const tokenLengthMax = 64 * 1024;

/**
 * Rejects entities that the file declares itself instead of expanding them.
 * @throws {AppError} with a public message if the file isn't a sitemap.
 */
export async function* parseSitemap(text: AsyncIterable<string>): AsyncGenerator<SitemapEntry> {
  const parser = new SaxesParser();
  const open: string[] = [];
  let found: SitemapEntry[] = [];
  let address = "";
  let tokenStart = 0;
  parser.on("error", (error) => {
    throw new AppError("not_a_page", { message: "is not well-formed XML in UTF-8", cause: error });
  });
  let attributes = 0;
  parser.on("attribute", () => {
    attributes += 1;
    if (attributes > attributesMax)
      throw new AppError("not_a_page", { message: `has more than ${attributesMax} attributes in an element` });
  });
  const endToken = () => {
    tokenStart = parser.position;
  };
  for (const kind of ["comment", "processinginstruction", "doctype", "xmldecl"] as const) parser.on(kind, endToken);
  parser.on("opentag", ({ name }) => {
    endToken();
    attributes = 0;
    open.push(name);
    if (open.length > levelsMax) throw new AppError("not_a_page", { message: `has more than ${levelsMax} levels` });
    if (open.length === 1 && name !== "urlset" && name !== "sitemapindex")
      throw new AppError("not_a_page", { message: "is not a sitemap" });
    address = "";
  });
  const add = (part: string) => {
    endToken();
    if (open.at(-1) === "loc" && address.length <= addressMax) address += part;
  };
  parser.on("text", add);
  parser.on("cdata", add);
  parser.on("closetag", ({ name }) => {
    endToken();
    const [, parent] = open;
    open.pop();
    if (name !== "loc" || open.length !== 2) return;
    if (parent === "url") found.push({ kind: "page", address: address.trim() });
    if (parent === "sitemap") found.push({ kind: "file", address: address.trim() });
  });
  let written = 0;
  for await (const chunk of text) {
    parser.write(chunk);
    written += chunk.length;
    if (written - tokenStart > tokenLengthMax)
      throw new AppError("not_a_page", { message: `has more than ${tokenLengthMax} characters in a tag, text or comment` });
    yield* found;
    found = [];
    await setImmediate(); // otherwise everything received so far would be parsed in one turn of the event loop
  }
  parser.close();
}
