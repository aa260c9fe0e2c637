/** Decides which of a page's links a crawl may follow, regardless of the pages and addresses that the crawl already has. */

import type { Caller } from "../../accounts/keys/caller.ts";
import { mayCapture } from "../../accounts/keys/restrictions.ts";
import type { PageLinks } from "../../capture/request.ts";
import { createPauses } from "../../shared/turns.ts";
import { parseUrl } from "../../shared/urls.ts";
import { mayRequest, type Robots } from "../../sitemaps/robots.ts";
import { cleaned, identityOf, isFile, isIncluded, isTrap, onSite, varietyOf } from "./addresses.ts";
import type { LeftOutReason } from "./left-out.ts";

export interface CrawlRules {
  origin: string;
  include: string[];
  exclude: string[];
  robots: Robots;
}

/** A link's address. */
export interface Found {
  url: URL;
  /** From `identityOf`, in base64. */
  hash: string;
  /** Why the link may not be followed; undefined if it may. */
  reason: LeftOutReason | undefined;
  /** From `varietyOf`, in base64. */
  variety: string | undefined;
}

/** Returns each address once, in document order. */
export async function followedLinks({ addresses }: PageLinks, rules: CrawlRules, caller: Caller): Promise<Found[]> {
  const found = new Map<string, Found>();
  const pause = createPauses(caller.userId);
  for (const { address, isNofollow } of addresses) {
    await pause();
    const linked = parseUrl(address);
    if (!linked) continue;
    const own = onSite(linked, rules.origin);
    const url = cleaned(own ?? linked);
    const hash = identityOf(url).toString("base64");
    const before = found.get(hash);
    if (before && before.reason !== "nofollow") continue;
    const reason = isNofollow ? "nofollow" : own ? reasonAgainst(url, rules, caller) : "other_site";
    found.set(hash, { url, hash, reason, variety: varietyOf(url)?.toString("base64") });
  }
  return [...found.values()];
}

/** Why a page on the site is left out; undefined if it isn't. */
export function reasonAgainst(url: URL, { include, exclude, robots }: CrawlRules, caller: Caller): LeftOutReason | undefined {
  if (isTrap(url)) return "trap"; // first, because it limits the length of the text that patterns are matched against
  if (isFile(url)) return "not_a_page";
  if (!isIncluded(url, include, exclude)) return "excluded";
  if (!mayCapture(caller, url)) return "target_not_allowed";
  return mayRequest(robots, url) ? undefined : "robots";
}
