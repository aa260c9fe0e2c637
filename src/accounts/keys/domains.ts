/** A key's allowed domains and targets: normalises the lists and matches requests against them. Pure. */

import { isIP } from "node:net";
import { parse } from "tldts";
import { AppError } from "../../shared/errors.ts";
import type { ApiKey, Caller } from "./caller.ts";

export const domainEntriesMax = 50;

const schemePattern = /^([a-z][a-z0-9+.-]*):\/\//i;
const hostPattern = /^[a-z0-9_-]{1,63}(\.[a-z0-9_-]{1,63})*$/;
const originPattern = /^https?:\/\/[^/\\?#@\s]+$/i;

/**
 * Normalises an entry `[http(s)://](host | *.host | IPv4 | [IPv6])[:port]` to the form that is stored and compared: lower case, punycode,
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
 * Normalises a list and removes duplicates.
 * @throws {AppError} `invalid_parameters` with a message for users, if an entry is invalid or there are more than 50.
 */
export function normalizeDomainEntries(texts: string[]): string[] {
  const entries = [...new Set(texts.map(normalizeDomainEntry))];
  if (entries.length > domainEntriesMax)
    throw new AppError("invalid_parameters", { message: `A key can list at most ${domainEntriesMax} domains.` });
  return entries;
}

interface CallerHeaders {
  origin?: string | undefined;
  referer?: string | undefined;
}

/** Origin of the page that sent the request; `missing` if there is no Origin or Referer, `unreadable` if it isn't an http(s) origin. */
export function callerOrigin(headers: CallerHeaders): URL | "missing" | "unreadable" {
  if (headers.origin && headers.origin !== "null") {
    // Browsers send only an origin here.
    return originPattern.test(headers.origin) ? webUrl(headers.origin) : "unreadable";
  }
  return headers.referer ? webUrl(headers.referer) : "missing";
}

/**
 * Checks the page that sent the request against the key's `allowedDomains`. An empty list allows every request, even without a page.
 * @throws {AppError} `domain_not_allowed`.
 */
export function assertCallerAllowed(key: Pick<ApiKey, "allowedDomains" | "allowMissingOrigin">, headers: CallerHeaders): void {
  if (key.allowedDomains.length === 0) return;
  const caller = callerOrigin(headers);
  if (caller === "missing") {
    if (key.allowMissingOrigin) return;
    throw new AppError("domain_not_allowed", {
      message: "The API key is restricted to certain domains, and the request has neither an Origin nor a Referer header.",
    });
  }
  if (caller === "unreadable" || matchingEntry(key.allowedDomains, caller) === undefined) throw new AppError("domain_not_allowed");
}

/**
 * Refuses keys with allowed domains. Every visitor of those sites can read such a key, so it must not reveal or change how else it is used.
 * @param what completes the message "it …". @throws {AppError} `domain_not_allowed`.
 */
export function assertNotPublic({ allowedDomains }: Pick<Caller, "allowedDomains">, what: string): void {
  if (allowedDomains.length === 0) return;
  throw new AppError("domain_not_allowed", {
    message: `The API key is restricted to domains, so visitors of their pages can see it: it ${what}.`,
  });
}

/** The first entry that matches `url`. */
export function matchingEntry(entries: string[], url: URL): string | undefined {
  const host = url.hostname.replace(/\.$/, "");
  const port = url.port || (url.protocol === "https:" ? "443" : "80");
  return entries.find((entry) => matches(entry, url.protocol, host, port));
}

/** Whether `url` may be captured: the requested URL, and each one that the main frame navigates to. An empty list allows all. */
export function targetAllowed(entries: string[], url: URL): boolean {
  if (entries.length === 0) return true;
  return isWeb(url) && matchingEntry(entries, url) !== undefined;
}

/** Whether the caller's key may receive an image of `url`: of the requested page, or of the one it was redirected to. */
export function mayCapture({ allowedTargets }: Pick<Caller, "allowedTargets">, url: string | URL): boolean {
  return allowedTargets.length === 0 || targetAllowed(allowedTargets, new URL(url));
}

/** @throws {AppError} `target_not_allowed`. */
export function assertMayCapture(caller: Pick<Caller, "allowedTargets">, url: URL): void {
  if (!mayCapture(caller, url)) throw new AppError("target_not_allowed");
}

/** An entry that isn't normalised matches nothing. */
function matches(entry: string, protocol: string, host: string, port: string): boolean {
  const [, scheme, wildcard, entryHost = "", entryPort] = /^(?:(https?):\/\/)?(\*\.)?(\[[^\]]+\]|[^:[\]]+)(?::(\d+))?$/.exec(entry) ?? [];
  if (entryHost === "") return false;
  if (scheme !== undefined && protocol !== `${scheme}:`) return false;
  if (entryPort !== undefined && port !== entryPort) return false;
  return wildcard === undefined ? host === entryHost : host.endsWith(`.${entryHost}`);
}

function webUrl(text: string): URL | "unreadable" {
  const url = URL.parse(text);
  return url && isWeb(url) ? url : "unreadable";
}

function isWeb(url: URL): boolean {
  return url.protocol === "http:" || url.protocol === "https:";
}

/** The host as the URL standard serialises it, without a trailing dot; undefined when it is invalid. */
function canonicalHost(text: string): string | undefined {
  // Characters that the URL parser would decode, drop or split at.
  if (text === "" || /[\s%\p{Cc}]/u.test(text)) return undefined;
  const host = URL.parse(`http://${text}`)?.hostname.replace(/\.$/, "");
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
