/** Regions before they are named. */

import type { Box, Region, TreeNode } from "./comparison.ts";
import { type Item, upwards } from "./items.ts";
import { nounOf } from "./nouns.ts";
import type { Outline } from "./outline.ts";

export interface Draft {
  kind: Region["kind"];
  before: Box | null;
  after: Box | null;
  /** Position in the tree of the page after, for what was removed in that of the page before; null: unknown. */
  node: number | null;
  /** What it is about, of the same page as `node`: at least what the name needs. */
  items: Item[];
  /** Of an item whose text changed. */
  texts: { before: string; after: string } | null;
  /** Only its look changed, not its text. */
  isLook: boolean;
  /** What it takes up with the parts of the page that have nothing else in them; if unset, its boxes. */
  extent?: { before: Box | null; after: Box | null };
  /** Selectors of the next parts of the page that contain it: they may look different because of it. */
  outer: string[];
  /** Moved among others, which kept their order. */
  isReordered: boolean;
}

const outerMax = 2;

/** The next parts of the page that contain a node. */
export function outerOf(tree: TreeNode[], node: number | null): string[] {
  const [, ...outer] = upwards(tree, node, 1 + outerMax);
  return outer.flatMap((at) => tree[at]?.selector ?? []);
}

export interface Group {
  /** The part of the page that a person would name. */
  node: number | null;
  items: Item[];
  /** The largest part with nothing else in it. */
  top: number | null;
}

/** Joins `members` to the largest parts of the page with nothing else in them. `all`: all items of the page. */
export function groupItems(members: Item[], all: Item[], outline: Outline): Group[] {
  const { tree } = outline;
  const isMember = new Set(members);
  const others = countsIn(
    tree,
    all.filter((item) => !isMember.has(item)),
  );
  const groups = new Map<number, Group>();
  const single: Group[] = [];
  for (const item of members) {
    let top: number | null = item.node;
    for (const node of upwards(tree, item.node)) {
      if (others[node] || isWholePage(tree[node])) break;
      top = node;
    }
    const group = top === null ? undefined : groups.get(top);
    if (top === null) single.push({ node: null, items: [item], top: null });
    else if (group) group.items.push(item);
    else groups.set(top, { node: top, items: [item], top });
  }
  return [...[...groups.values()].map((group) => ({ ...group, node: namedNode(group, outline) })), ...single];
}

/** Of each node, how many of `items` are in it. */
function countsIn(tree: TreeNode[], items: Item[]): Int32Array {
  const counts = new Int32Array(tree.length);
  for (const { node } of items) if (node !== null) counts[node] = (counts[node] ?? 0) + 1;
  for (let at = tree.length - 1; at >= 0; at--) {
    const parent = tree[at]?.parent ?? null;
    if (parent !== null) counts[parent] = (counts[parent] ?? 0) + (counts[at] ?? 0);
  }
  return counts;
}

/** From the smallest part that has all items outwards, the first with a name. */
function namedNode({ items, top }: Group, { tree, common }: Outline): number | null {
  const smallest = common(items.map((item) => item.node));
  if (top === null || smallest === null) return top;
  for (const node of upwards(tree, smallest)) {
    if (nounOf(tree[node]) !== undefined) return node;
    if (node === top) break;
  }
  return smallest;
}

export function isWholePage(node: TreeNode | undefined): boolean {
  return node === undefined || node.tag === "body" || node.tag === "html";
}
