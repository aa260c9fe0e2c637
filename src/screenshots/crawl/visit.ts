/** A crawl's visit to one page: decides whether to keep the page, and which of its links to follow. */

import { setTimeout as pause } from "node:timers/promises";
import type { Caller } from "../../accounts/keys/caller.ts";
import type { PageLinks } from "../../capture/request.ts";
import type { Database, Queries } from "../../database/database.ts";
import { parseUrl } from "../../shared/urls.ts";
import type { OutputRequest } from "../captures/taken-outputs.ts";
import { cleaned, identityOf, isTrap, onSite } from "./addresses.ts";
import { type CrawlRecord, claimAddress, delayVisit, findCrawl, moveCrawl, removePage } from "./crawl-records.ts";
import { followedLinks, reasonAgainst } from "./followed-links.ts";
import { type GrowthParts, growCrawl, type VisitedPage } from "./growth.ts";
import type { LeftOutReason } from "./left-out.ts";
import type { SiteRobots } from "./site-robots.ts";

export interface CrawlVisit {
  /** Waits for the site's `Crawl-delay`. */
  beforeLoad(): Promise<void>;
  /** Whether the loaded page belongs to the crawl and is not a duplicate. Remembers its links for `complete`. */
  accepts(links: PageLinks | undefined): Promise<boolean>;
  /** Whether `accepts` has returned false. */
  isLeftOut(): boolean;
  /**
   * Follows the page's links, after removing the page if it is left out. Does nothing if the links could not be read, or if the capture
   * ended before the page could be removed.
   * @param transaction must have locked the batch. @param refund is called once the page has been removed.
   */
  complete(transaction: Queries, refund?: () => Promise<unknown>): Promise<void>;
}

interface Visited {
  batchId: string;
  captureId: string;
  depth: number;
  caller: Caller;
  outputs: OutputRequest[];
  signal: AbortSignal;
}

export type VisitCrawl = (visited: Visited) => CrawlVisit;

interface VisitParts extends GrowthParts {
  database: Database;
  siteRobots: SiteRobots;
}

export function createVisitCrawl(parts: VisitParts): VisitCrawl {
  const { database } = parts;
  return (visited) => {
    const { batchId, captureId, depth, caller, outputs } = visited;
    let page: VisitedPage | undefined;
    let loads = 0;

    return {
      async beforeLoad() {
        const ms = await delayVisit(database, captureId, loads > 0);
        loads += 1;
        if (ms > 0) await pause(ms, undefined, { signal: visited.signal });
      },
      async accepts(links) {
        const crawl = links && (await findCrawl(database, batchId));
        const shown = parseUrl(links?.url ?? "");
        const requested = outputs[0]?.request.target;
        if (!crawl || !shown || !requested) return true;
        const rules = depth === 0 ? await moved(parts, visited, crawl, shown) : crawl;
        const addresses = [requested, shown, ...canonicalOf(links)].flatMap((url) => onSite(url, rules.origin) ?? []).map(cleaned);
        const hashes = new Map(addresses.map(identityOf).map((hash) => [hash.toString("hex"), hash]));
        const refused = depth === 0 ? undefined : reasonAgainstShown(shown, requested, rules, caller);
        let reason = refused;
        if (!refused)
          for (const hash of hashes.values())
            if (!(await claimAddress(database, batchId, hash, captureId)) && depth > 0) reason = "duplicate";
        page = {
          ...{ batchId, depth, caller, outputs, url: shown.href, omitted: refused ? 0 : links.omitted },
          found: refused ? [] : await followedLinks(links, rules, caller),
          leftOut: reason && { reason, address: requested.href },
        };
        return reason === undefined;
      },
      isLeftOut: () => page?.leftOut !== undefined,
      async complete(transaction, refund) {
        if (!page) return;
        if (page.leftOut && !(await removePage(transaction, batchId, captureId))) return;
        if (page.leftOut) await refund?.();
        await growCrawl(parts, transaction, page);
      },
    };
  };
}

/** If the first page has redirected to another origin of its site, the crawl continues there. */
async function moved(parts: VisitParts, visited: Visited, crawl: CrawlRecord, { origin, href }: URL): Promise<CrawlRecord> {
  if (origin === crawl.origin || !onSite(new URL(href), crawl.origin)) return crawl;
  const options = visited.outputs[0]?.request.options ?? {};
  const { robots } = await parts.siteRobots(visited.caller, options, origin, visited.signal);
  await moveCrawl(parts.database, visited.batchId, origin, robots);
  return { ...crawl, origin, robots };
}

function canonicalOf({ canonical }: PageLinks): URL[] {
  const url = parseUrl(canonical ?? "");
  return url && !isTrap(url) ? [url] : [];
}

/** Why a page that has redirected is left out; undefined if it isn't. */
function reasonAgainstShown(shown: URL, requested: URL, rules: CrawlRecord, caller: Caller): LeftOutReason | undefined {
  const own = onSite(shown, rules.origin);
  if (!own) return "other_site";
  const url = cleaned(own);
  return identityOf(url).equals(identityOf(requested)) ? undefined : reasonAgainst(url, rules, caller);
}
