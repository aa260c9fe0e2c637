/** Parses URLs from outside, and determines the site of a host. */

import { getDomain } from "tldts";

/** A little more than the 253 characters of the longest name that DNS allows. */
const hostMax = 300;

/** The beginning of a URL that has a host, as far as the host's end, without tabs and line breaks. */
const untilPath = /^[\0- ]*(?:(?:https?|wss?|ftp|file):[/\\]*|[/\\]{2,})([^/?#\\]*)/i;

/**
 * To be used instead of `URL.parse`, which takes up to 60 ms for a long host.
 * @returns null if `text` isn't a URL, or if its host has more than `hostMax` characters that aren't all ASCII: the time to convert them
 *   grows with the square of their number.
 */
export function parseUrl(text: string, base?: URL | string): URL | null {
  return text.length > hostMax && hasLongHost(text) ? null : URL.parse(text, base);
}

export function canParseUrl(text: string): boolean {
  return parseUrl(text) !== null;
}

function hasLongHost(text: string): boolean {
  const [, authority = ""] = untilPath.exec(text.replace(/[\t\n\r]/g, "")) ?? [];
  const host = authority.slice(authority.lastIndexOf("@") + 1);
  const encodedBytes = host.split("%").length - 1; // most characters of other scripts have three
  return host.length - 3 * encodedBytes + encodedBytes / 3 > hostMax && /[^!-$&-~]/.test(host);
}

/**
 * The registrable domain of a host name. Suffixes such as `github.io`, under which anyone can get a name, are treated as top-level
 * domains. A host without a registrable domain, such as an IP address, is its own site.
 */
export function siteOf(host: string): string {
  return getDomain(host, { allowPrivateDomains: true }) ?? host;
}
