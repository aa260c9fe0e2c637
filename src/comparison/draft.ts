/** Regions that haven't been named yet. */

import type { Box, Region, TreeNode } from "./comparison.ts";
import { type Item, selfAndAncestors } from "./elements/items.ts";
import { nounOf } from "./elements/nouns.ts";
import type { Outline } from "./elements/outline.ts";

export interface Draft {
  kind: Region["kind"];
  before: Box | null;
  after: Box | null;
  /** Index in the tree of the later page or, for removed content, of the earlier page; null if unknown. */
  node: number | null;
  /** Affected items from the same page as `node`; at least those needed for the name. */
  items: Item[];
  /** Set if the text of an item has changed. */
  texts: { before: string; after: string } | null;
  /** Whether only the appearance changed, not the text. */
  isLook: boolean;
  /** The region's boxes, extended to enclosing parts that contain nothing else; defaults to the boxes themselves. */
  extent?: { before: Box | null; after: Box | null };
  /** Selectors of the closest enclosing parts; a change in their appearance may be merely a consequence of this region. */
  outer: string[];
  /** Whether the region changed position among siblings that kept their order. */
  isReordered: boolean;
}

const outerMax = 2;

/** Selectors of the closest parts of the page that contain a node. */
export function outerOf(tree: TreeNode[], node: number | null): string[] {
  const [, ...outer] = selfAndAncestors(tree, node, 1 + outerMax);
  return outer.flatMap((at) => tree[at]?.selector ?? []);
}

export interface Group {
  /** The part of the page that the name refers to. */
  node: number | null;
  items: Item[];
  /** The largest part that contains nothing else. */
  top: number | null;
}

/** Groups `members` by the largest parts of the page that contain nothing else. @param all every item of the page. */
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
    for (const node of selfAndAncestors(tree, item.node)) {
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

/** For each node, the number of `items` that it contains. */
function countsIn(tree: TreeNode[], items: Item[]): Int32Array {
  const counts = new Int32Array(tree.length);
  for (const { node } of items) if (node !== null) counts[node] = (counts[node] ?? 0) + 1;
  for (let at = tree.length - 1; at >= 0; at--) {
    const parent = tree[at]?.parent ?? null;
    if (parent !== null) counts[parent] = (counts[parent] ?? 0) + (counts[at] ?? 0);
  }
  return counts;
}

/** The smallest part that contains all items and has a name; if none up to `top` has a name, the smallest that contains all items. */
function namedNode({ items, top }: Group, { tree, common }: Outline): number | null {
  const smallest = common(items.map((item) => item.node));
  if (top === null || smallest === null) return top;
  for (const node of selfAndAncestors(tree, smallest)) {
    if (nounOf(tree[node]) !== undefined) return node;
    if (node === top) break;
  }
  return smallest;
}

export function isWholePage(node: TreeNode | undefined): boolean {
  return node === undefined || node.tag === "body" || node.tag === "html";
}
