/** Finds content that moved on its own, not because other content grew, shrank, appeared or disappeared. */

import { union } from "./boxes.ts";
import type { Box } from "./comparison.ts";
import type { Draft } from "./draft.ts";
import { assertInTime } from "./effort.ts";
import type { Item } from "./elements/items.ts";
import type { ItemPair } from "./elements/match-items.ts";
import type { ComparablePage } from "./page.ts";

/** Tolerance for rounded boxes, in pixels. */
const roundingMax = 1;
/** How far below content, in pixels, a cause of its move may be: in centered layouts, growing content also moves what is above it. */
const reach = 600;

interface Grown {
  node: number;
  box: Box;
  old: Box;
}

/**
 * Returns a function that finds the part of the page above a moved region that grew or shrank by the distance moved. The function returns
 * undefined if no such part explains the move.
 */
export function createGrownPart(before: ComparablePage, after: ComparablePage): (draft: Draft) => Draft | undefined {
  const earlier = new Map(before.tree.map((node) => [node.selector, node.box]));
  // Keyed by growth in pixels.
  const grown = Map.groupBy(
    after.tree.flatMap(({ selector, box }, node): Grown[] => {
      const old = earlier.get(selector);
      return old ? [{ node, box, old }] : [];
    }),
    ({ box, old }) => Math.round(box.height - old.height),
  );
  for (const list of grown.values()) list.reverse();
  return ({ before: was, after: is }) => {
    assertInTime();
    if (!was || !is) return undefined;
    const dy = is.y - was.y;
    const found = [-1, 0, 1].flatMap((nudge) => {
      const isCause = ({ box, old }: Grown) =>
        box.y + box.height <= is.y + roundingMax &&
        old.y + old.height <= was.y + roundingMax &&
        Math.abs(box.height - old.height - dy) <= roundingMax;
      return grown.get(Math.round(dy) + nudge)?.find(isCause) ?? [];
    });
    const part = found.sort((one, other) => other.node - one.node)[0];
    if (!part) return undefined;
    const items = after.items.filter((item) => after.outline.contains(part.node, item.node));
    const boxes = { before: part.old, after: part.box };
    return { kind: "changed", ...boxes, node: part.node, items, texts: null, isLook: true, isReordered: false, outer: [] };
  };
}

type Cause = Pick<Draft, "kind" | "before" | "after">;

interface Displaced {
  dx: number;
  dy: number;
  pairs: ItemPair[];
}

/**
 * @param pairs the same items in both pages, in order.
 * @param causes regions found so far, and ignored boxes. Any change in size above or near moved content is enough to explain its move.
 */
export function displacedDrafts(pairs: ItemPair[], causes: Cause[]): Draft[] {
  const highest = causes
    .filter(isGrowth)
    .reduce((y, { before, after }) => Math.min(y, before?.y ?? Infinity, after?.y ?? Infinity), Infinity);
  return groups(pairs)
    .filter(({ dx, dy }) => Math.max(Math.abs(dx), Math.abs(dy)) > roundingMax)
    .filter((group) => {
      const { y, height } = union(group.pairs.map((pair) => pair.after.box));
      return !(highest <= y + height + reach);
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

/** Groups adjacent items that moved by the same distance. */
function groups(pairs: ItemPair[]): Displaced[] {
  const found: Displaced[] = [];
  for (const pair of pairs) {
    const [dx, dy] = [pair.after.box.x - pair.before.box.x, pair.after.box.y - pair.before.box.y];
    const last = found.at(-1);
    if (last && Math.abs(last.dx - dx) <= roundingMax && Math.abs(last.dy - dy) <= roundingMax) last.pairs.push(pair);
    else found.push({ dx, dy, pairs: [pair] });
  }
  return found;
}
