/** Finds changes by their pixels alone: in pictures, colors and fonts, and all changes on pages without a list of elements. */

import { area, grown, isMostlyIn, overlap, union } from "./boxes.ts";
import type { Box } from "./comparison.ts";
import { type Draft, isWholePage } from "./draft.ts";
import { assertInTime } from "./effort.ts";
import type { Item } from "./elements/items.ts";
import type { ItemPair } from "./elements/match-items.ts";
import { markedBoxes } from "./marked-boxes.ts";
import type { ComparablePage } from "./page.ts";
import { hasEqualRows, isBlank } from "./pixels.ts";
import type { Shift } from "./shifts.ts";

export interface Masks {
  /** One byte per pixel: 1 if it doesn't appear in the other image. */
  before: Uint8Array;
  after: Uint8Array;
  /** The shifts to subtract from a point in the later image to find it in the earlier one. */
  backwards: (x: number, y: number) => Shift[];
  /** The shifts to subtract from a point in the earlier image to find it in the later one. */
  forwards: (x: number, y: number) => Shift[];
}

/** Fewer differing pixels than this are treated as noise. */
const [pixelsMin, lossyPixelsMin] = [4, 40];

/** Distance in pixels within which a layout change may affect other content. */
const reach = 400;

interface Seen {
  before: Box;
  after: Box;
  /** Side on which the pixels are marked. */
  marked: "before" | "after" | "both";
}

/** @param drafts regions found by comparing items; marked pixels inside them don't need regions of their own. */
export function visualDrafts(before: ComparablePage, after: ComparablePage, masks: Masks, pairs: ItemPair[], drafts: Draft[]): Draft[] {
  const isLossy = before.pixels.isLossy || after.pixels.isLossy;
  const boxesOf = (mask: Uint8Array, { pixels }: ComparablePage) =>
    markedBoxes(mask, pixels.width, pixels.height, isLossy ? lossyPixelsMin : pixelsMin);
  const isKnown = (box: Box, side: "before" | "after") => {
    assertInTime();
    const other = side === "before" ? "after" : "before";
    const expected = shifted(box, side === "before" ? masks.forwards : masks.backwards);
    return drafts.some(({ kind, extent, ...draft }) => {
      const [here, there] = extent ? [extent[side], extent[other]] : [draft[side], draft[other]];
      return isMostlyIn(box, here) || isMostlyIn(expected, there) || (kind !== "changed" && isMostlyIn(box, there));
    });
  };
  const fresh = boxesOf(masks.after, after).filter((box) => !isKnown(box, "after"));
  const old = boxesOf(masks.before, before).filter((box) => !isKnown(box, "before"));
  const byItem = new Map(pairs.map((pair) => [pair.after, pair]));
  const found = pairBoxes(old, fresh, masks)
    .filter((one) => !isSpace(one, before, after))
    .map((one) => draftOf(one, before, after, byItem));
  const isFollowing = (draft: Draft) => {
    assertInTime();
    return drafts.some((known) => isConsequence(draft, known, byItem, before, after));
  };
  return merged(found.filter((draft) => !isFollowing(draft)));
}

/** Whether the change in appearance is merely a consequence of a known region: the same item, its container, or something nearby. */
function isConsequence(draft: Draft, known: Draft, pairs: Map<Item, ItemPair>, before: ComparablePage, after: ComparablePage): boolean {
  if (isBesideGrown(draft, known)) return true;
  const { tree } = draft.kind === "removed" ? before : after;
  const [item] = draft.items;
  if (item && draft.items.length === 1 && draft.node === item.node) {
    if (known.node === draft.node && known.items[0] === item) return true;
    const pair = pairs.get(item);
    return pair !== undefined && !item.isPicture && !isSameBox(pair.before.box, pair.after.box) && isNear(draft, known);
  }
  const selector = draft.node === null ? undefined : tree[draft.node]?.selector;
  return selector !== undefined && !isWholePage(tree[draft.node ?? -1]) && known.outer.includes(selector);
}

/** Whether the draft shares a line with a known region that is new, gone or changed in width: it has moved, even if it isn't an element. */
function isBesideGrown(draft: Draft, known: Draft): boolean {
  const [line, box] = [known.after ?? known.before, draft.after ?? draft.before];
  if (!line || !box || (known.before && known.after && Math.abs(known.before.width - known.after.width) <= 1)) return false;
  return box.y >= line.y - 2 && box.y + box.height <= line.y + line.height + 2 && !draft.items.some((item) => item.isPicture);
}

function isSameBox(one: Box, other: Box): boolean {
  return (["x", "y", "width", "height"] as const).every((side) => Math.abs(one[side] - other[side]) <= 1);
}

function isNear(draft: Draft, known: Draft): boolean {
  const [one, other] = [draft.after ?? draft.before, known.after ?? known.before];
  return one !== null && other !== null && overlap(grown(one, reach), other) > 0;
}

/** Joins a later box and the earlier boxes at the same position into one change. */
function pairBoxes(old: Box[], fresh: Box[], { backwards, forwards }: Masks): Seen[] {
  const left = new Set(old);
  const seen = fresh.map((box): Seen => {
    const expected = shifted(box, backwards);
    const here = [...left].filter((other) => overlap(other, grown(expected, 8)) > 0 && overlap(other, expected) > area(other) / 3);
    for (const other of here) left.delete(other);
    return here.length > 0 ? { before: union(here), after: box, marked: "both" } : { before: expected, after: box, marked: "after" };
  });
  return [...seen, ...[...left].map((box): Seen => ({ before: box, after: shifted(box, forwards), marked: "before" }))];
}

/** Whether only empty space grew or shrank: its surroundings moved, and nothing else changed. */
function isSpace({ before: was, after: is, marked }: Seen, before: ComparablePage, after: ComparablePage): boolean {
  if (marked === "both") return false;
  return marked === "after" ? hasEqualRows(after.pixels, is) : hasEqualRows(before.pixels, was);
}

function shifted(box: Box, shiftsAt: (x: number, y: number) => Shift[]): Box {
  const [shift] = shiftsAt(box.x, box.y);
  return { ...box, x: box.x - (shift?.dx ?? 0), y: box.y - (shift?.dy ?? 0) };
}

function draftOf(
  { before: was, after: is, marked }: Seen,
  before: ComparablePage,
  after: ComparablePage,
  pairs: Map<Item, ItemPair>,
): Draft {
  assertInTime();
  const common = { texts: null, isLook: true, isReordered: false, outer: [] };
  const item = itemAt(after.items, is);
  const pair = item && pairs.get(item);
  if (pair && marked !== "before") {
    const [old, box] = item.isPicture ? [was, is] : [pair.before.box, item.box];
    return { ...common, kind: "changed", before: old, after: box, node: item.node, items: [item] };
  }
  const [isNew, isGone] = [isBlank(before.pixels, was), isBlank(after.pixels, is)];
  if ((isGone && !isNew) || (marked === "before" && !isNew)) {
    const node = containerAt(before, was);
    return { ...common, kind: "removed", before: was, after: null, node, items: itemsIn(before, node, was) };
  }
  const node = containerAt(after, is);
  const kind = isNew && !isGone ? "added" : "changed";
  return { ...common, kind, before: isNew ? null : was, after: is, node, items: itemsIn(after, node, is) };
}

/** The smallest item that contains most of a box; undefined if every such item is far larger. */
function itemAt(items: Item[], box: Box): Item | undefined {
  const around = items.filter((item) => isMostlyIn(box, item.box, 0.8) && area(item.box) < 40 * area(grown(box, 8)));
  return around.sort((one, other) => area(one.box) - area(other.box))[0];
}

/** The smallest part of the page that contains most of a box. */
function containerAt({ tree }: ComparablePage, box: Box): number | null {
  let smallest: number | null = null;
  // The root's box may be as small as the window, even though the root contains the whole page.
  const sizeOf = (at: number) => (isWholePage(tree[at]) ? Infinity : area(tree[at]?.box ?? box));
  for (const [at, node] of tree.entries())
    if (overlap(node.box, box) >= 0.8 * area(box) && (smallest === null || sizeOf(at) <= sizeOf(smallest))) smallest = at;
  return smallest;
}

function itemsIn({ items, tree }: ComparablePage, node: number | null, box: Box): Item[] {
  const outer = node === null ? box : (tree[node]?.box ?? box);
  return items.filter((item) => isMostlyIn(item.box, outer));
}

/** Merges regions of the same kind in the same part of the page. */
function merged(drafts: Draft[]): Draft[] {
  const byPlace = new Map<string, Draft>();
  for (const draft of drafts) {
    const key = draft.node === null ? `${byPlace.size}` : `${draft.kind} ${draft.node}`;
    const known = byPlace.get(key);
    const join = (one: Box | null, other: Box | null) => (one && other ? union([one, other]) : (one ?? other));
    byPlace.set(key, known ? { ...known, before: join(known.before, draft.before), after: join(known.after, draft.after) } : draft);
  }
  return [...byPlace.values()];
}
