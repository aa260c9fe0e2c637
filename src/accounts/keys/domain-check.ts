/** Checks a list of domains as it is being typed, and whether it would allow a page. Pure. */

import { callerOrigin, matchingEntry, normalizeDomainEntry } from "./domains.ts";

export interface DomainCheck {
  list: "domains" | "targets";
  entries: string[];
  allowMissingOrigin: boolean;
  /** A page's URL; empty: a request without Origin and Referer; null: only the entries are checked. */
  address: string | null;
}

export interface CheckedDomains {
  entries: { input: string; entry: string | null; problem: string | null }[];
  verdict: { allowed: boolean; entry: string | null; reason: string } | null;
}

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
      reason: list === "domains" ? "The list is empty: the key works anywhere." : "The list is empty: every page may be captured.",
    };
  if (address === "") {
    if (list === "targets") return { allowed: false, reason: "There is no address to capture." };
    return allowMissingOrigin
      ? { allowed: true, reason: "Requests that name no page are allowed." }
      : { allowed: false, reason: "The request names no page, and such requests are not allowed." };
  }
  const url = callerOrigin({ referer: /^[a-z][a-z0-9+.-]*:\/\//i.test(address) ? address : `https://${address}` });
  if (typeof url === "string") return { allowed: false, reason: "That is not the address of a web page." };
  const entry = matchingEntry(entries, url);
  return entry === undefined
    ? { allowed: false, reason: `No entry covers ${url.origin}.` }
    : { allowed: true, entry, reason: `${entry} covers ${url.origin}.` };
}
