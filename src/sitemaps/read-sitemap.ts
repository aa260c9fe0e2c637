/** Lists a site's pages from its sitemap, including index files and compressed files, within limits. */

import { SaxesParser } from "saxes";
import { AppError, wrongParameter } from "../shared/errors.ts";
import type { ConnectTo } from "../shared/open-connection.ts";
import { createPauses } from "../shared/turns.ts";
import { parseUrl } from "../shared/urls.ts";
import { type FetchContext, fetchProblem, openSitemap, type SitemapContext } from "./fetch-file.ts";
import type { TakeTurn } from "./reading-limit.ts";

/**
 * URLs of pages, at most `limit`.
 * @throws {AppError} `invalid_parameters` if the sitemap can't be read, with the reason; `rate_limited` or `unavailable` while too many
 *   sitemaps are being read; `target_not_allowed` from `assertMayFetch`; the signal's reason.
 */
export type ReadSitemap = (address: string, limit: number, reader: SitemapReader, signal: AbortSignal) => Promise<string[]>;

/** The account reading the sitemap, and the targets that its key allows. */
export interface SitemapReader extends Pick<FetchContext, "assertMayFetch"> {
  userId: string;
}

const bounds = { files: 50, entries: 50_000, ms: 30_000 };
const addressMax = 2_048;

/** @param connect connects through the egress filter. */
export function createReadSitemap(connect: ConnectTo, takeTurn: TakeTurn): ReadSitemap {
  return async (address, limit, { userId, assertMayFetch }, signal) => {
    const first = pageOf(address);
    if (!first) throw refused(`must be an absolute http or https URL of at most ${addressMax} characters`);
    const endTurn = takeTurn(userId);
    const deadline = AbortSignal.timeout(bounds.ms);
    try {
      const pages = await read(first, limit, { connect, assertMayFetch, bytes: 0 }, AbortSignal.any([signal, deadline]));
      if (pages.length === 0) throw refused("doesn't list any pages");
      return pages;
    } catch (error) {
      signal.throwIfAborted();
      if (deadline.aborted) throw refused("did not respond in time");
      if (!(error instanceof AppError)) throw refused("can't be read");
      throw ["invalid_parameters", "target_not_allowed"].includes(error.code) ? error : refused(fetchProblem(error));
    } finally {
      endTurn();
    }
  };
}

async function read(first: URL, limit: number, fetching: SitemapContext, signal: AbortSignal): Promise<string[]> {
  const files = [first.href];
  const pages = new Set<string>();
  const budget = { elements: elementsMax };
  const pause = createPauses();
  let entries = 0;
  for (let next = 0; next < files.length && next < bounds.files; next += 1) {
    const stream = await openSitemap(new URL(files[next] as string), fetching, signal);
    try {
      for await (const { kind, address } of parseSitemap(stream.setEncoding("utf8"), budget)) {
        entries += 1;
        await pause(); // an entry may have an address of 2,048 characters, and thousands may arrive at once
        const url = pageOf(address);
        if (url && kind === "page") pages.add(url.href);
        if (url && kind === "file" && !files.includes(url.href) && files.length < bounds.files) files.push(url.href);
        if (pages.size >= limit || entries >= bounds.entries) return [...pages];
      }
    } finally {
      stream.destroy();
    }
  }
  return [...pages];
}

function pageOf(address: string): URL | undefined {
  if (address.length > addressMax) return undefined;
  const url = parseUrl(address);
  return url && /^https?:$/.test(url.protocol) && url.href.length <= addressMax ? url : undefined;
}

const refused = (problem: string) => wrongParameter("sitemap_url", problem, "the URL of a sitemap");

export interface SitemapEntry {
  /** `file`: another of the sitemap's files. */
  kind: "page" | "file";
  /** Empty if the entry has none. */
  address: string;
}

/**
 * Maximum number of elements, comments, CDATA sections and instructions in all of a sitemap's files: each takes one to three microseconds to
 * parse, and may have four bytes.
 */
const elementsMax = 2_000_000;

/** Maximum nesting depth. Sitemaps have three levels, extensions a few more; the parser keeps a stack of open elements. */
const levelsMax = 20;
/** Maximum number of attributes per element, since the parser keeps all of them. */
const attributesMax = 100;
/**
 * Maximum length of a tag, text node, comment, CDATA section, instruction or declaration, in characters. The parser buffers each until it
 * ends, some character by character, which takes thirty times as much memory. Long URLs, and licenses in comments, are much shorter.
 */
const tokenLengthMax = 64 * 1024;

const notASitemap = (message: string, cause?: Error) => new AppError("not_a_page", { message, cause });

/**
 * Entities that the file itself declares are rejected rather than expanded.
 * @param budget number of elements, comments and the like that may still be parsed.
 * @throws {AppError} `not_a_page`, with a public message, if the file isn't a sitemap.
 */
export async function* parseSitemap(text: AsyncIterable<string>, budget = { elements: elementsMax }): AsyncGenerator<SitemapEntry> {
  const pause = createPauses();
  const parser = new SaxesParser();
  const open: string[] = [];
  let found: SitemapEntry[] = [];
  let address = "";
  let hasAddress = false;
  let tokenStart = 0;
  parser.on("error", (error) => {
    throw notASitemap("is not well-formed XML in UTF-8", error);
  });
  const beginElement = limitAttributes(parser);
  const endToken = () => {
    tokenStart = parser.position;
  };
  const count = () => {
    endToken();
    if (budget.elements-- <= 0) throw notASitemap(`has more than ${elementsMax} elements, comments and the like`);
  };
  for (const kind of ["comment", "processinginstruction", "doctype", "xmldecl"] as const) parser.on(kind, count);
  parser.on("opentag", ({ name }) => {
    count();
    beginElement();
    open.push(name);
    if (open.length === 2) hasAddress = false;
    if (open.length > levelsMax) throw notASitemap(`has elements nested more than ${levelsMax} levels deep`);
    if (open.length === 1 && name !== "urlset" && name !== "sitemapindex") throw notASitemap("is not a sitemap");
    address = "";
  });
  const add = (part: string) => {
    endToken();
    if (open.at(-1) === "loc" && address.length <= addressMax) address += part;
  };
  parser.on("text", add);
  parser.on("cdata", (part) => {
    count();
    add(part);
  });
  parser.on("closetag", ({ name }) => {
    endToken();
    const [, parent] = open;
    open.pop();
    const isAddress = name === "loc" && open.length === 2 && (parent === "url" || parent === "sitemap");
    const isWithout = open.length === 1 && !hasAddress; // counts toward the limit like any other
    if (!isAddress && !isWithout) return;
    hasAddress = true;
    found.push({ kind: parent === "sitemap" ? "file" : "page", address: isAddress ? address.trim() : "" });
  });
  let written = 0;
  for await (const chunk of text) {
    parser.write(chunk);
    written += chunk.length;
    if (written - tokenStart > tokenLengthMax)
      throw notASitemap(`has a tag, text node or comment of more than ${tokenLengthMax} characters`);
    yield* found;
    found = [];
    await pause(); // otherwise everything that has arrived, also of other accounts, would be parsed in one turn of the event loop
  }
  parser.close();
}

/** Makes the parser throw at an element with too many attributes. @returns a function to call at the beginning of each element. */
function limitAttributes(parser: SaxesParser): () => void {
  let attributes = 0;
  parser.on("attribute", () => {
    attributes += 1;
    if (attributes > attributesMax) throw notASitemap(`has more than ${attributesMax} attributes in an element`);
  });
  return () => {
    attributes = 0;
  };
}
