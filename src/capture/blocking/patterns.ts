/** Parses URL patterns sent by callers. */

import { domainToASCII } from "node:url";
import { glob } from "../../shared/glob.ts";
import { parseUrl } from "../../shared/urls.ts";

/** Number of leading URL characters to match, which limits the work per request. */
const comparedMax = 8192;

export interface Pattern {
  /** A Chromium interception pattern that matches at least the same URLs. */
  urlPattern: string;
  matches(url: string): boolean;
}

/** The problem with a pattern, as the rest of a sentence that begins with the parameter's name; undefined if it is valid. */
export function patternProblem(pattern: string): string | undefined {
  if (/\s/.test(pattern)) return `contains a pattern with whitespace: ${JSON.stringify(pattern.slice(0, 100))}`;
  if (/^[*.:/]*$/.test(pattern)) return `contains the pattern ${JSON.stringify(pattern)}, which would block everything`;
  if (!pattern.includes("/") && !/^[\p{L}\p{N}*._-]+$/u.test(pattern))
    return `contains ${JSON.stringify(pattern.slice(0, 100))}, which is not a host; patterns for URLs must contain a slash`;
  return undefined;
}

/**
 * A pattern without `/`, such as `example.com` or `*.png`, matches a host and its subdomains, or the last part of a path. Any other pattern
 * is compared with the whole URL; it may begin with the host, in which case any scheme matches, or with the path. `*` is a wildcard.
 */
export function readPattern(pattern: string): Pattern {
  return pattern.includes("/") ? addressPattern(pattern) : hostOrFilePattern(pattern);
}

function hostOrFilePattern(pattern: string): Pattern {
  const host = (domainToASCII(pattern) || pattern).toLowerCase();
  return {
    urlPattern: host === pattern ? `*${host}*` : "*",
    matches: (url) => {
      const { hostname, file } = partsOf(url.slice(0, comparedMax));
      return glob(host, hostname) || glob(`*.${host}`, hostname) || (file !== "" && glob(pattern, file));
    },
  };
}

/** Parts of the latest URL, because a URL is compared with up to a hundred patterns in a row. */
let latest = { url: "", hostname: "", file: "" };

function partsOf(url: string): typeof latest {
  if (url === latest.url) return latest;
  // Called by listeners of the browser's events, so it doesn't throw: text that isn't a URL has no host.
  const { hostname, pathname } = parseUrl(url) ?? { hostname: "", pathname: "" };
  latest = { url, hostname, file: pathname.slice(pathname.lastIndexOf("/") + 1) };
  return latest;
}

function addressPattern(pattern: string): Pattern {
  const whole = pattern.includes("://") || pattern.startsWith("*") ? pattern : `*://${pattern.startsWith("/") ? "*" : ""}${pattern}`;
  // Chromium reports the scheme and host in lowercase.
  const wanted = whole.replace(/^[^/]*:\/\/[^/]*/, (origin) => origin.toLowerCase());
  return {
    urlPattern: wanted.replace(/[\\?]/g, "\\$&"),
    matches: (url) => glob(wanted, url.slice(0, comparedMax)),
  };
}
