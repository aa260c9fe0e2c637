/** Parses URLs from outside, and determines the site of a host. */

import { getDomain } from "tldts";

/** A little more than the 253 characters of the longest name that DNS allows. */
const hostMax = 300;

/** The beginning of a URL that has a host, up to the end of the host, without tabs and line breaks. */
const untilPath = /^[\0- ]*(?:(?:https?|wss?|ftp|file):[/\\]*|[/\\]{2,})([^/?#\\]*)/i;

/**
 * To be used instead of `URL.parse`, which takes tens of milliseconds for a long host in another script.
 * @returns null if `text` isn't a URL, or if its host has more than `hostMax` characters and isn't all ASCII: the time to convert it grows
 *   with the square of its length.
 */
export function parseUrl(text: string, base?: URL | string): URL | null {
  return text.length > hostMax && hasLongHost(text) ? null : URL.parse(text, base);
}

/** Like `URL.canParse`, but false where `parseUrl` returns null. */
export function canParseUrl(text: string): boolean {
  return parseUrl(text) !== null;
}

function hasLongHost(text: string): boolean {
  const [, authority = ""] = untilPath.exec(text.replace(/[\t\n\r]/g, "")) ?? [];
  const host = authority.slice(authority.lastIndexOf("@") + 1);
  // Counted as a third of a character each: most characters of other scripts have three bytes.
  const encodedBytes = host.match(/%[\da-f]{2}/gi)?.length ?? 0;
  return host.length - 3 * encodedBytes + encodedBytes / 3 > hostMax && /[^!-$&-~]/.test(host);
}

/**
 * The registrable domain of a host name. Suffixes such as `github.io`, under which anyone can get a name, are treated as top-level
 * domains. A host without a registrable domain, such as an IP address, is its own site.
 */
export function siteOf(host: string): string {
  return getDomain(host, { allowPrivateDomains: true }) ?? host;
}
