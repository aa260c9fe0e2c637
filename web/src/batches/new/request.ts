/** The request made from the form of a new batch, and its errors in terms of the form. */

import { ApiError } from "../../api/client.ts";
import { withScheme } from "../../screenshots/address.ts";
import { defaultFormat } from "../../screenshots/formats.ts";

export interface Draft {
  source: "list" | "sitemap" | "site";
  /** One URL per line. */
  captures: string;
  sitemap_url: string;
  /** Maximum number of pages of the sitemap or site; if empty, the API's default. */
  limit: string;
  /** First page of the site. */
  url: string;
  depth: string;
  /** Patterns, one per line. */
  include: string;
  exclude: string;
  format: string;
  full_page: boolean;
}

/** Names of the fields, as the API's errors have them. */
export const draftFields = [
  ...["captures", "sitemap_url", "limit"],
  ...["crawl.url", "crawl.depth", "crawl.limit", "crawl.include", "crawl.exclude"],
];

/** The URLs in the list, each with its line number. Empty lines and those that begin with # are ignored. */
export function linesOf({ captures }: Draft): { line: number; url: string }[] {
  return captures
    .split("\n")
    .map((text, index) => ({ line: index + 1, text: text.trim() }))
    .filter(({ text }) => text !== "" && !text.startsWith("#"))
    .map(({ line, text }) => ({ line, url: withScheme(text) }));
}

export function bodyOf(draft: Draft): object {
  const { source, sitemap_url, format, full_page } = draft;
  const limit = draft.limit === "" ? {} : { limit: Number(draft.limit) };
  const shared = { ...(format === defaultFormat ? {} : { format }), ...(full_page ? { full_page } : {}) };
  if (source === "list") return { shared, captures: linesOf(draft).map(({ url }) => ({ url })) };
  if (source === "sitemap") return { shared, sitemap_url: withScheme(sitemap_url.trim()), ...limit };
  const depth = draft.depth === "" ? {} : { depth: Number(draft.depth) };
  const [include, exclude] = [draft.include, draft.exclude].map((text) => text.split("\n").flatMap((line) => line.trim() || []));
  return { shared, crawl: { url: withScheme(draft.url.trim()), ...depth, ...limit, include, exclude } };
}

/** The same error, naming lines of the list in place of entries of the request. */
export function inLines(error: unknown, draft: Draft): unknown {
  if (!(error instanceof ApiError) || draft.source !== "list") return error;
  const lines = linesOf(draft);
  const named = (text: string) =>
    text.replaceAll(/\bcaptures\[(\d+)\]\.url\b/g, (entry, index) => (lines[index] ? `Line ${lines[index].line}` : entry));
  const details = error.details.map(({ parameter, message }) => ({ parameter, message: named(message) }));
  return new ApiError(named(error.message), { ...error, details });
}
