/** Finds content that moved by itself, not because something else grew, shrank, came or went. */

import { union } from "./boxes.ts";
import type { TreeNode } from "./comparison.ts";
import type { Draft } from "./draft.ts";
import { type Item, upwards } from "./items.ts";
import type { Pair } from "./match-items.ts";
import type { Page } from "./page.ts";

/** Boxes are rounded. */
const roundingMax = 1;
/** In layouts that are centred, what grows moves what is above it too. */
const reach = 600;

/** The part of the page above what moved that grew or shrank by the same distance; undefined: it is not because of one. */
export function grownPart({ before: was, after: is }: Draft, before: Page, after: Page): Draft | undefined {
  if (!was || !is) return undefined;
  const earlier = new Map(before.tree.map((node) => [node.selector, node.box]));
  const grew = ({ selector, box }: TreeNode) => {
    const old = earlier.get(selector);
    const isAbove = old && box.y + box.height <= is.y + roundingMax && old.y + old.height <= was.y + roundingMax;
    return isAbove && Math.abs(box.height - old.height - (is.y - was.y)) <= roundingMax;
  };
  const node = after.tree.findLastIndex(grew);
  const part = after.tree[node];
  if (!part) return undefined;
  const items = after.items.filter((item) => [...upwards(after.tree, item.node)].includes(node));
  const boxes = { before: earlier.get(part.selector) ?? null, after: part.box };
  return { kind: "changed", ...boxes, node, items, texts: null, isLook: true, isReordered: false, outer: [] };
}

type Cause = Pick<Draft, "kind" | "before" | "after">;

interface Displaced {
  dx: number;
  dy: number;
  pairs: Pair[];
}

/**
 * @param pairs The same items in both pages, in order.
 * @param causes Regions found so far, and ignored boxes: what is near one whose size changed needs no other reason to have moved.
 */
export function displacedDrafts(pairs: Pair[], causes: Cause[]): Draft[] {
  const growing = causes.filter(isGrowth);
  return groups(pairs)
    .filter(({ dx, dy }) => Math.max(Math.abs(dx), Math.abs(dy)) > roundingMax)
    .filter((group) => {
      const { y, height } = union(group.pairs.map((pair) => pair.after.box));
      return !growing.some(({ before, after }) => Math.min(before?.y ?? Infinity, after?.y ?? Infinity) <= y + height + reach);
    })
    .map(({ pairs: moved }): Draft => {
      const items: Item[] = moved.map((pair) => pair.after);
      return {
        kind: "moved",
        before: union(moved.map((pair) => pair.before.box)),
        after: union(items.map(({ box }) => box)),
        node: null,
        items,
        texts: null,
        isLook: false,
        isReordered: false,
        outer: [],
      };
    });
}

function isGrowth({ kind, before, after }: Cause): boolean {
  if (!before || !after || kind === "moved") return true;
  return Math.abs(before.width - after.width) > roundingMax || Math.abs(before.height - after.height) > roundingMax;
}

/** Neighbours that moved by the same distance. */
function groups(pairs: Pair[]): Displaced[] {
  const found: Displaced[] = [];
  for (const pair of pairs) {
    const [dx, dy] = [pair.after.box.x - pair.before.box.x, pair.after.box.y - pair.before.box.y];
    const last = found.at(-1);
    if (last && Math.abs(last.dx - dx) <= roundingMax && Math.abs(last.dy - dy) <= roundingMax) last.pairs.push(pair);
    else found.push({ dx, dy, pairs: [pair] });
  }
  return found;
}
