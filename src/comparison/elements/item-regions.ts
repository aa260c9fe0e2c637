/** Finds changed, added, removed and reordered regions by comparing the items of two pages. */

import { union } from "../boxes.ts";
import type { Box } from "../comparison.ts";
import { type Draft, groupItems, outerOf } from "../draft.ts";
import type { ComparablePage } from "../page.ts";
import type { Item } from "./items.ts";
import type { Matches } from "./match-items.ts";

const plain = { texts: null, isLook: false, isReordered: false, outer: [] };

export function itemDrafts(before: ComparablePage, after: ComparablePage, matches: Matches): Draft[] {
  const changed = matches.changed.flatMap((pair): Draft[] => {
    if (pair.after.isPicture || shownText(pair.before) === shownText(pair.after)) return [];
    const texts = { before: pair.before.fullText || pair.before.name, after: pair.after.fullText || pair.after.name };
    return [
      { ...plain, kind: "changed", before: pair.before.box, after: pair.after.box, node: pair.after.node, items: [pair.after], texts },
    ];
  });
  const added = groupItems(matches.added, after.items, after.outline).map(({ node, items, top }): Draft => {
    const extent = { before: null, after: boxOf(top, items, after) };
    return { ...plain, kind: "added", before: null, after: boxOf(node, items, after), node, items, extent };
  });
  const removed = groupItems(matches.removed, before.items, before.outline).map(({ node, items, top }): Draft => {
    const extent = { before: boxOf(top, items, before), after: null };
    return { ...plain, kind: "removed", before: boxOf(node, items, before), after: null, node, items, extent };
  });
  const inPage = (drafts: Draft[], { tree }: ComparablePage) => drafts.map((draft) => ({ ...draft, outer: outerOf(tree, draft.node) }));
  const ofAfter = inPage([...changed, ...added, ...reorderedDrafts(after, matches)], after);
  return replaced(inPage(removed, before), ofAfter, before, after);
}

/** Merges a removal and an addition in the same part of the page into one change. */
function replaced(removed: Draft[], others: Draft[], before: ComparablePage, after: ComparablePage): Draft[] {
  const selectorOf = ({ node }: Draft, { tree }: ComparablePage) => (node === null ? undefined : tree[node]?.selector);
  const left = new Set(removed);
  const bySelector = Map.groupBy(
    removed.filter(({ node }) => node !== null),
    (draft) => selectorOf(draft, before),
  );
  const drafts = others.map((draft): Draft => {
    if (draft.kind !== "added") return draft;
    const old = bySelector.get(selectorOf(draft, after))?.shift();
    if (!old) return draft;
    left.delete(old);
    const textOf = ({ items }: Draft) => items.map(shownText).filter(Boolean).join(" ");
    const extent = { before: old.extent?.before ?? old.before, after: draft.extent?.after ?? draft.after };
    return { ...draft, kind: "changed", before: old.before, extent, texts: { before: textOf(old), after: textOf(draft) } };
  });
  return [...drafts, ...left];
}

function reorderedDrafts(after: ComparablePage, { reordered }: Matches): Draft[] {
  const earlier = new Map<Item, Box>(reordered.map((pair) => [pair.after, pair.before.box]));
  const groups = groupItems(
    reordered.map((pair) => pair.after),
    after.items,
    after.outline,
  );
  return groups.map(({ node, items, top }): Draft => {
    const [first] = items;
    const was = first && earlier.get(first);
    const before = (box: Box) => (first && was ? { ...box, x: box.x + was.x - first.box.x, y: box.y + was.y - first.box.y } : box);
    const [box, whole] = [boxOf(node, items, after), boxOf(top, items, after)];
    const extent = { before: before(whole), after: whole };
    return { ...plain, kind: "moved", before: before(box), after: box, node, items, extent, isReordered: true };
  });
}

/** Fields and icons have no text, so their accessible name stands in for it. */
export function shownText({ text, name }: Item): string {
  return text || name;
}

/** The node's box; if there is none, or it is empty, as with `display: contents`, the box around the items. */
function boxOf(node: number | null, items: Item[], { tree }: ComparablePage): Box {
  const box = node === null ? undefined : tree[node]?.box;
  return box && box.width > 0 && box.height > 0 ? box : union(items.map((item) => item.box));
}
