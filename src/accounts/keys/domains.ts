/** Normalizes and checks a key's lists of allowed domains and targets, as entered by users. Pure. */

import { isIP } from "node:net";
import { parse } from "tldts";
import { AppError } from "../../shared/errors.ts";
import { parseUrl } from "../../shared/urls.ts";
import { callerOrigin, matchingEntry } from "./restrictions.ts";

export const domainEntriesMax = 50;

const schemePattern = /^([a-z][a-z0-9+.-]*):\/\//i;
const hostPattern = /^[a-z0-9_-]{1,63}(\.[a-z0-9_-]{1,63})*$/;

/**
 * Normalizes an entry `[http(s)://](host | *.host | IPv4 | [IPv6])[:port]` to the form that is stored and compared: lower case, punycode,
 * no trailing dot, IP addresses in canonical notation.
 * @throws {AppError} `invalid_parameters` with a message for users if the text is not a valid entry.
 */
export function normalizeDomainEntry(text: string): string {
  const entry = text.trim();
  const refuse = (why: string): never => {
    throw new AppError("invalid_parameters", { message: `"${entry}" is not valid: ${why}` });
  };
  if (entry === "") throw new AppError("invalid_parameters", { message: "An entry must not be empty." });
  const scheme = schemePattern.exec(entry)?.[1]?.toLowerCase();
  if (scheme !== undefined && scheme !== "http" && scheme !== "https") refuse("only http:// and https:// are supported.");
  const rest = scheme === undefined ? entry : entry.slice(scheme.length + 3);
  if (/[/\\]/.test(rest)) refuse("paths can't be matched; list only the host, without a slash.");
  if (/[?#]/.test(rest)) refuse("a query or fragment can't be matched; list only the host.");
  if (rest.includes("@")) refuse("it contains a user name; list only the host.");
  if (isIP(rest) === 6) refuse(`IPv6 addresses must be in brackets: [${rest}].`);

  const [, hostText = "", portText] =
    /^((?:\*\.)?\[[^\]]*\]|[^:]*)(?::([^:]*))?$/.exec(rest) ?? refuse("it is not a host name or an IP address.");
  const wildcard = hostText.startsWith("*.");
  if (hostText === "*") refuse("to allow every domain, leave the list empty.");
  const bare = wildcard ? hostText.slice(2) : hostText;
  if (bare.includes("*")) refuse('"*" is only allowed as the first label, as in *.example.com.');
  const host = canonicalHost(bare) ?? refuse("it is not a host name or an IP address.");
  if (wildcard && isAddress(host)) refuse("an IP address has no subdomains.");
  if (wildcard && isPublicSuffix(host)) refuse(`${host} is a public suffix, under which anyone can register a domain.`);
  return `${scheme === undefined ? "" : `${scheme}://`}${wildcard ? "*." : ""}${host}${portText === undefined ? "" : `:${portOf(portText, refuse)}`}`;
}

/**
 * Normalizes a list and removes duplicates.
 * @throws {AppError} `invalid_parameters`, with a message for users, if an entry is invalid or there are more than 50.
 */
export function normalizeDomainEntries(texts: string[]): string[] {
  const entries = [...new Set(texts.map(normalizeDomainEntry))];
  if (entries.length > domainEntriesMax)
    throw new AppError("invalid_parameters", { message: `A list can have at most ${domainEntriesMax} entries.` });
  return entries;
}

/** The host as the URL standard serializes it, without a trailing dot; undefined if it is invalid. */
function canonicalHost(text: string): string | undefined {
  // The URL parser would decode or drop some of these characters instead of rejecting them.
  if (text === "" || /[\s%\p{Cc}]/u.test(text)) return undefined;
  const host = parseUrl(`http://${text}`)?.hostname.replace(/\.$/, "");
  if (host === undefined) return undefined;
  return host.startsWith("[") || (hostPattern.test(host) && host.length <= 253) ? host : undefined;
}

function isAddress(host: string): boolean {
  return host.startsWith("[") || isIP(host) !== 0;
}

/** False for names such as `localhost` or `intranet`, under which nobody can register a domain. */
function isPublicSuffix(host: string): boolean {
  const { publicSuffix, isIcann, isPrivate } = parse(host, { allowPrivateDomains: true });
  return publicSuffix === host && (isIcann === true || isPrivate === true);
}

function portOf(text: string, refuse: (why: string) => never): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  return port >= 1 && port <= 65_535 ? port : refuse("a port must be a number from 1 to 65535.");
}

export interface DomainCheck {
  list: "domains" | "targets";
  entries: string[];
  allowMissingOrigin: boolean;
  /** A page's URL; empty for a request with neither `Origin` nor `Referer`; null to check only the entries. */
  address: string | null;
}

export interface CheckedDomains {
  entries: { input: string; entry: string | null; problem: string | null }[];
  verdict: { allowed: boolean; entry: string | null; reason: string } | null;
}

/** Checks a list while the user edits it, and whether it would allow a page. */
export function checkDomains({ list, entries, allowMissingOrigin, address }: DomainCheck): CheckedDomains {
  const checked = entries.map(checkEntry);
  const usable = checked.flatMap(({ entry }) => entry ?? []);
  if (address === null) return { entries: checked, verdict: null };
  return { entries: checked, verdict: { entry: null, ...judge(list, usable, entries.length === 0, allowMissingOrigin, address.trim()) } };
}

function checkEntry(input: string): CheckedDomains["entries"][number] {
  try {
    return { input, entry: normalizeDomainEntry(input), problem: null };
  } catch (error) {
    return { input, entry: null, problem: (error as Error).message };
  }
}

function judge(list: "domains" | "targets", entries: string[], isEmpty: boolean, allowMissingOrigin: boolean, address: string) {
  if (isEmpty)
    return {
      allowed: true,
      reason: list === "domains" ? "The list is empty: all websites are allowed." : "The list is empty: all targets are allowed.",
    };
  if (address === "") {
    if (list === "targets") return { allowed: false, reason: "The URL is empty." };
    return allowMissingOrigin
      ? { allowed: true, reason: "Requests without a website are allowed." }
      : { allowed: false, reason: "Requests without a website are not allowed." };
  }
  const url = callerOrigin({ referer: /^[a-z][a-z0-9+.-]*:\/\//i.test(address) ? address : `https://${address}` });
  if (typeof url === "string") return { allowed: false, reason: "Not an http or https URL." };
  const entry = matchingEntry(entries, url);
  return entry === undefined
    ? { allowed: false, reason: `No entry matches ${url.origin}.` }
    : { allowed: true, entry, reason: `${entry} matches ${url.origin}.` };
}
