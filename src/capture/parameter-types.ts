/** Parameter types shared by several option groups: text, URLs, and lists with one item per line. */

import { z } from "zod";
import { canParseUrl, parseUrl } from "../shared/urls.ts";

/**
 * Text of at most `max` characters.
 * @param problemWith returns the problem with a value, as the rest of a sentence that begins with the parameter's name.
 */
export function text(max: number, problemWith: (value: string) => string | undefined) {
  return checked(z.string().max(max, { abort: true }), problemWith);
}

/** Text of at most `bytesMax` bytes in UTF-8. @param shown the limit, such as `2 MB`. */
export function longText(bytesMax: number, shown: string) {
  return checked(z.string(), (value) => (Buffer.byteLength(value) > bytesMax ? `is longer than ${shown}` : undefined));
}

function checked(type: z.ZodString, problemWith: (value: string) => string | undefined) {
  return type.check(({ value, issues }) => {
    const message = problemWith(value);
    if (message !== undefined) issues.push({ code: "custom", message, input: "" });
  });
}

/** Outputs the URL as the URL Standard serializes it. */
export function pageUrl() {
  return text(2048, urlProblem)
    .overwrite((value) => parseUrl(value)?.href ?? value)
    .meta({ format: "uri", valid: "an absolute http or https URL of at most 2048 characters" });
}

/** The absolute URL that `text` probably means; undefined if it is already absolute or isn't close to a URL. */
function absoluteUrl(text: string): string | undefined {
  const meant = /^https?\/\//i.test(text) ? text.replace("//", "://") : withScheme(text.replace(/^\/\//, ""));
  const isAbsolute = canParseUrl(text) && !/^[\w.-]+:\d+([/?#]|$)/.test(text); // in `localhost:3000`, `localhost` parses as the scheme
  return !isAbsolute && !/^[\w.-]+:(?!\d)/.test(text) && canParseUrl(meant) ? meant : undefined;
}

/** Local servers rarely use TLS. */
function withScheme(text: string): string {
  const host = parseUrl(`https://${text}`)?.hostname ?? "";
  return `${/^(.+\.)?localhost$|^127\.|^\[::1\]$/.test(host) ? "http" : "https"}://${text}`;
}

/** Maximum length of a URL quoted in a message, in characters. */
const shownMax = 200;

function shown(text: string): string {
  return text.length > shownMax ? `${text.slice(0, shownMax - 1)}…` : text;
}

/** The problem with a URL, as the rest of a sentence that begins with the parameter's name; undefined if it is valid. */
function urlProblem(text: string): string | undefined {
  if (/^\/(?!\/)/.test(text)) return "is not absolute: it has no scheme and no host";
  const meant = absoluteUrl(text);
  if (meant) return `is not absolute (did you mean ${shown(meant)}?)`;
  const url = parseUrl(text);
  if (!url) return "is not a URL";
  const { protocol, username, password, hostname } = url;
  if (protocol !== "http:" && protocol !== "https:")
    return `has the scheme ${shown(protocol.slice(0, -1))}; only http and https are supported`;
  if (username || password)
    return "contains a user name or password; send them in authorization instead, as `Basic` and user:password in Base64";
  if (hostname === "") return "has no host";
  return undefined;
}

/**
 * @param charactersMax maximum total length of all lines.
 * @param problemWith returns the problem with a line, as the rest of a sentence that begins with the parameter's name.
 */
export function lines(charactersMax: number, problemWith: (line: string) => string | undefined = () => undefined) {
  return z
    .array(z.string())
    .max(100)
    .check(({ value, issues }) => {
      if (value.join("\n").length > charactersMax) {
        issues.push({ code: "custom", message: `has more than ${charactersMax} characters in total`, input: value });
        return;
      }
      for (const line of value) {
        const problem = problemWith(line);
        if (problem) issues.push({ code: "custom", message: problem, input: value });
      }
    })
    .optional()
    .meta({ reading: "lines", charactersMax });
}
