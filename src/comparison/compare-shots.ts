/** Compares two screenshots. Takes about a second for large pages, so it runs in a worker. */

import type { EqualRun } from "./align.ts";
import { area, clipped } from "./boxes.ts";
import { type CompareOptions, type Comparison, isTooLong, type Region, type Shot } from "./comparison.ts";
import { createGrownPart, displacedDrafts } from "./displaced.ts";
import type { Draft } from "./draft.ts";
import { assertInTime } from "./effort.ts";
import { itemDrafts, shownText } from "./elements/item-regions.ts";
import type { Item } from "./elements/items.ts";
import { type ItemPair, matchItems } from "./elements/match-items.ts";
import { nameOf } from "./elements/names.ts";
import { createIsMarked } from "./marked-boxes.ts";
import { type ComparablePage, clearIgnored, readComparablePage } from "./page.ts";
import type { Pixels } from "./pixels.ts";
import { alignRows, shiftsOf } from "./shifts.ts";
import { equalRows, unexplained } from "./unexplained.ts";
import { type Masks, visualDrafts } from "./visual-regions.ts";

const regionsMax = 100;

/** @throws {Error} if an image can't be decoded; {TooMuchEffort} once the time limit set by `beginEffort` is up. */
export async function compareShots(before: Shot, after: Shot, { by, threshold, ignore }: CompareOptions): Promise<Comparison> {
  const isSame = before.image.equals(after.image);
  const hasPixels = by !== "text" && !isSame;
  // If only one side had elements, all of them would be reported as added or removed.
  const hasElements = [before, after].every(({ elements }) => elements !== undefined && !isTooLong(elements));
  const pageOf = (shot: Shot) => readComparablePage(hasElements ? shot : { image: shot.image }, ignore, hasPixels);
  const [old, fresh] = await Promise.all([pageOf(before), pageOf(after)]);
  const matches = matchItems(old.items, fresh.items);
  const pairs = [...matches.same, ...matches.reordered, ...matches.changed];
  const known = itemDrafts(old, fresh, matches);
  const masks = hasPixels ? findMasks(old, fresh, pairs) : undefined;
  const seen = masks ? visualDrafts(old, fresh, masks, pairs, known) : [];
  const isSeen = masks && createIsSeen(masks, old, fresh);
  let drafts = [...known.filter((draft) => shouldReport(draft, by, isSeen)), ...seen];
  const ignored = [...old.ignored.map((box) => ({ before: box })), ...fresh.ignored.map((box) => ({ after: box }))];
  const causes = [...drafts, ...ignored.map((box) => ({ kind: "changed" as const, before: null, after: null, ...box }))];
  const isListed = old.items.length + fresh.items.length > 0;
  const grownPart = createGrownPart(old, fresh);
  if (masks && isListed) drafts = drafts.concat(displacedDrafts(matches.same, causes).map((draft) => grownPart(draft) ?? draft));
  if (masks && !isListed && drafts.length === 0) drafts = displacedDrafts(rowPairs(masks.runs, fresh.pixels.width), []);
  const shown = drafts.flatMap((draft) => clippedDraft(draft, old, fresh) ?? []).sort(byImportance);
  const regions = shown.slice(0, regionsMax).map((one) => regionOf(one));
  if (regions.length === 0 && masks && !isResizedByIgnored(old, fresh)) regions.push(...resized(old, fresh));
  const changedShare = masks
    ? shareOf(masks, old, fresh)
    : Math.min(1, sum(drafts.map(areaOf)) / (fresh.pixels.width * fresh.pixels.height));
  return {
    isChanged: regions.length > 0 && (threshold === 0 || changedShare > threshold),
    changedShare,
    sizeBefore: { width: old.pixels.width, height: old.pixels.height },
    sizeAfter: { width: fresh.pixels.width, height: fresh.pixels.height },
    regions,
  };
}

function findMasks(old: ComparablePage, fresh: ComparablePage, pairs: ItemPair[]): Masks & { runs: EqualRun[] } {
  const rows = alignRows(old.pixels, fresh.pixels);
  const backwards = shiftsOf(rows, pairs, { size: fresh.pixels, isBackwards: false });
  const forwards = shiftsOf(rows, pairs, { size: old.pixels, isBackwards: true });
  const boxPairs = pairs.map((pair) => ({ before: pair.before.box, after: pair.after.box }));
  const maskOf = (image: Pixels, other: Pixels, side: "before" | "after", candidates: Masks["forwards"]) =>
    unexplained(image, other, { equal: equalRows(old.pixels, fresh.pixels, rows.runs, side), candidates, pairs: boxPairs, side });
  const after = maskOf(fresh.pixels, old.pixels, "after", backwards);
  const before = maskOf(old.pixels, fresh.pixels, "before", forwards);
  clearIgnored(after, fresh);
  clearIgnored(before, old);
  return { before, after, backwards, forwards, runs: rows.runs };
}

/** Pairs of equal rows, which stand in for items in images without elements. */
function rowPairs(runs: EqualRun[], width: number): ItemPair[] {
  const item = (y: number, height: number): Item => {
    const box = { x: 0, y, width, height };
    return { tag: "", role: "", name: "", text: "", fullText: "", box, selector: null, node: null, isPicture: false, key: "" };
  };
  return runs.map((run) => ({ before: item(run.before, run.length), after: item(run.after, run.length) }));
}

/** Reports a change in the page's size, which is the only sign of extra blank space at the bottom. */
function resized({ pixels: was }: ComparablePage, { pixels: is, tree }: ComparablePage): Region[] {
  const [dx, dy] = [is.width - was.width, is.height - was.height];
  if (Math.max(Math.abs(dx), Math.abs(dy)) <= 1) return [];
  const difference = dy ? `${Math.abs(dy)} px ${dy > 0 ? "longer" : "shorter"}` : `${Math.abs(dx)} px ${dx > 0 ? "wider" : "narrower"}`;
  const boxOf = ({ width, height }: ComparablePage["pixels"]) => ({ x: 0, y: 0, width, height });
  const texts = { textBefore: null, textAfter: null };
  return [
    { kind: "changed", before: boxOf(was), after: boxOf(is), selector: tree[0]?.selector ?? null, name: `Page is ${difference}`, ...texts },
  ];
}

/** Whether ignored parts changed size, which may explain a change in the page's size. */
function isResizedByIgnored(old: ComparablePage, fresh: ComparablePage): boolean {
  const sizesOf = ({ ignored }: ComparablePage) => ignored.map(({ width, height }) => `${width}×${height}`).sort();
  return String(sizesOf(old)) !== String(sizesOf(fresh));
}

/**
 * Whether to report a region found by comparing items. Pictures must also look different unless they moved; with `by=pixels`, so must all
 * other content. If pixels are not compared, pictures are not reported.
 */
function shouldReport(draft: Draft, by: CompareOptions["by"], isSeen: ((draft: Draft) => boolean) | undefined): boolean {
  const isPicture = draft.items.every((item) => item.isPicture);
  if (!isSeen) return !isPicture && by !== "pixels";
  if ((by === "both" && !isPicture) || draft.kind === "moved") return true;
  return isSeen(draft);
}

function createIsSeen(masks: Masks, old: ComparablePage, fresh: ComparablePage): (draft: Draft) => boolean {
  const isMarkedAfter = createIsMarked(masks.after, fresh.pixels.width, fresh.pixels.height);
  const isMarkedBefore = createIsMarked(masks.before, old.pixels.width, old.pixels.height);
  return ({ before, after }) => (after !== null && isMarkedAfter(after)) || (before !== null && isMarkedBefore(before));
}

/** Clips the draft's boxes to the images, and adds the page that contains its node. Undefined if the region is outside both images. */
function clippedDraft(draft: Draft, old: ComparablePage, fresh: ComparablePage): (Draft & { page: ComparablePage }) | undefined {
  const [before, after] = [clipped(draft.before, old.pixels), clipped(draft.after, fresh.pixels)];
  if (!before && !after) return undefined;
  const kind = before ? (after ? draft.kind : "removed") : "added";
  return { ...draft, kind, before, after, page: draft.kind === "removed" ? old : fresh };
}

function regionOf({ page, ...draft }: Draft & { page: ComparablePage }): Region {
  assertInTime();
  const { kind, before, after, node, items, texts } = draft;
  const shown = items.map(shownText).filter(Boolean).join(" ") || null;
  const selector = (node === null ? items[0]?.selector : page.tree[node]?.selector) ?? null;
  return {
    kind,
    before,
    after,
    selector,
    name: nameOf(draft, page.items, page.outline),
    textBefore: texts ? texts.before : kind === "removed" && !draft.isLook ? shown : null,
    textAfter: texts ? texts.after : kind === "added" && !draft.isLook ? shown : null,
  };
}

function shareOf(masks: Masks, old: ComparablePage, fresh: ComparablePage): number {
  const marked = Math.max(countOf(masks.before), countOf(masks.after));
  return marked / Math.max(old.pixels.width * old.pixels.height, fresh.pixels.width * fresh.pixels.height);
}

function countOf(mask: Uint8Array): number {
  let count = 0;
  for (let at = mask.indexOf(1); at >= 0; at = mask.indexOf(1, at + 1)) count += 1;
  return count;
}

const sum = (numbers: number[]) => numbers.reduce((total, one) => total + one, 0);
const areaOf = ({ before, after }: Pick<Region, "before" | "after">) => Math.max(before ? area(before) : 0, after ? area(after) : 0);

function byImportance(one: Draft, other: Draft): number {
  return Number(one.kind === "moved") - Number(other.kind === "moved") || areaOf(other) - areaOf(one);
}
