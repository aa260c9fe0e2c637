/** Adds linked pages to a crawl. */

import type { Caller } from "../../accounts/keys/caller.ts";
import type { Charge } from "../../accounts/usage/charge.ts";
import type { Queries } from "../../database/database.ts";
import { createPauses } from "../../shared/turns.ts";
import { costOfOutputs } from "../captures/reservations.ts";
import type { OutputRequest } from "../captures/taken-outputs.ts";
import type { AddEntries, BatchEntry } from "../queued/batch-entries.ts";
import { namesOfBatch, stemOf } from "../queued/batch-names.ts";
import { createTakeRequest, type TakeSchema } from "../take/take-options.ts";
import {
  type CrawlRecord,
  countVarieties,
  findCrawl,
  type Known,
  knownAddresses,
  recordGrowth,
  rememberAddresses,
  similarNames,
} from "./crawl-records.ts";
import type { Found } from "./followed-links.ts";
import { addLeftOut, type LeftOutReason, takeBack } from "./left-out.ts";

/** Maximum number of pages with similar addresses (see `varietyOf`). */
const similarMax = 50;
/** Maximum number of left-out addresses that a crawl remembers and counts. */
const rememberedMax = 10_000;
/** Age at which a crawl stops growing, because robots.txt may have changed (RFC 9309, 2.4). */
const growsMs = 24 * 3_600_000;

export interface GrowthParts {
  addEntries: AddEntries;
  takeSchema: TakeSchema;
  chargeIn: (queries: Queries) => Charge;
}

/** A page whose links were read. */
export interface VisitedPage {
  batchId: string;
  depth: number;
  caller: Caller;
  url: string;
  /** The page's links. */
  found: Found[];
  /** Number of links that were not read. */
  omitted: number;
  /** Outputs of the page's capture; linked pages get the same outputs. */
  outputs: OutputRequest[];
  /** Set if the page itself was left out. */
  leftOut?: { reason: LeftOutReason; address: string } | undefined;
}

/** @param transaction must have locked the batch. */
export async function growCrawl(parts: GrowthParts, transaction: Queries, page: VisitedPage): Promise<void> {
  const { batchId, depth, found, omitted, leftOut: own } = page;
  const crawl = await findCrawl(transaction, batchId);
  if (!crawl) return;
  const links = crawl.isStopped ? [] : found;
  const { taken, leftOut, again } = await decide(parts, transaction, crawl, { ...page, found: links });
  const counted = leftOut.slice(0, Math.max(0, rememberedMax - crawl.remembered));
  if (own) addLeftOut(crawl.leftOut, own.reason, [own.address]);
  if (!crawl.isStopped) addLeftOut(crawl.leftOut, "page_links", [page.url], omitted);
  for (const { url, reason } of counted) addLeftOut(crawl.leftOut, reason, [url.href]);
  for (const { url } of again) takeBack(crawl.leftOut, "depth", url.href);
  if (taken.length + counted.length + omitted === 0 && !own) return;
  const captureIds = await addPages(parts, transaction, crawl, page, taken);
  await rememberAddresses(transaction, batchId, [
    ...taken.map((one, index) => ({ ...one, captureId: captureIds[index] })),
    ...counted.map((one) => ({ ...one, captureId: undefined })),
  ]);
  const remembered = crawl.remembered + counted.length;
  await recordGrowth(transaction, batchId, { added: taken.length, depth: depth + 1, leftOut: crawl.leftOut, remembered });
}

interface Decisions {
  taken: Found[];
  leftOut: (Found & { reason: LeftOutReason })[];
  /** Members of `taken` that were left out earlier because they were too deep. */
  again: Found[];
}

async function decide(
  { chargeIn }: GrowthParts,
  transaction: Queries,
  crawl: CrawlRecord,
  { batchId, depth, found, caller, outputs }: VisitedPage,
): Promise<Decisions> {
  const decisions: Decisions = { taken: [], leftOut: [], again: [] };
  if (found.length === 0) return decisions;
  const hashes = found.map(({ hash }) => hash);
  const known = await knownAddresses(transaction, batchId, hashes);
  const similar = await countVarieties(transaction, batchId, [...new Set(found.flatMap(({ variety }) => variety ?? []))]);
  let affordable: number | undefined;
  for (const one of found) {
    const before = known.get(one.hash);
    if (before && !isTooDeep(before)) continue;
    let reason = one.reason ?? reasonAgainstDepth(crawl, depth + 1);
    if (!reason && one.variety !== undefined && (similar.get(one.variety) ?? 0) >= similarMax) reason = "trap";
    if (!reason && crawl.loaded + decisions.taken.length >= crawl.limit) reason = "limit";
    if (!reason) affordable ??= Math.floor((await chargeIn(transaction).left(caller)) / costOfOutputs(outputs));
    if (!reason && affordable !== undefined && decisions.taken.length >= affordable) reason = "quota";
    if (reason) {
      if (!before) decisions.leftOut.push({ ...one, reason });
      continue;
    }
    if (one.variety !== undefined) similar.set(one.variety, (similar.get(one.variety) ?? 0) + 1);
    if (before) decisions.again.push(one);
    decisions.taken.push(one);
  }
  return decisions;
}

const isTooDeep = ({ isTaken, reason }: Known) => !isTaken && reason === "depth";

function reasonAgainstDepth({ depth, ageMs }: CrawlRecord, next: number): LeftOutReason | undefined {
  if (next > depth) return "depth";
  return ageMs > growsMs ? "time" : undefined;
}

/** @returns ids of the pages' captures. */
async function addPages(
  { addEntries, takeSchema }: GrowthParts,
  transaction: Queries,
  crawl: CrawlRecord,
  { batchId, depth, caller, outputs }: VisitedPage,
  pages: Found[],
): Promise<string[]> {
  if (pages.length === 0) return [];
  const urls = pages.map(({ url }) => url);
  const earlier = await similarNames(transaction, batchId, [...new Set(urls.map(stemOf))]);
  const names = namesOfBatch(
    urls.map(() => undefined),
    urls,
    earlier,
  );
  const captures: BatchEntry[] = [];
  const pause = createPauses(caller.userId);
  for (const [index, { url }] of pages.entries()) {
    await pause();
    const ofPage = outputs.map(({ name, request: { options, warnings } }) => {
      return { name, request: createTakeRequest(takeSchema, { ...options, url: url.href }, warnings) };
    });
    captures.push({ name: names[index] ?? "", outputs: ofPage });
  }
  const first = crawl.loaded;
  return await addEntries(transaction, caller, {
    ...{ batchId, first, captures },
    crawl: { depth: depth + 1, crawlDelaySeconds: crawl.robots.crawlDelaySeconds },
  });
}
