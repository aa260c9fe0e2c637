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
