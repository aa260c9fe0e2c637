/** Regions before they are named. */

import type { Box, Region, TreeNode } from "./comparison.ts";
import { type Item, upwards } from "./items.ts";
import { nounOf } from "./nouns.ts";

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
  const [, ...outer] = upwards(tree, node);
  return outer.slice(0, outerMax).flatMap((at) => tree[at]?.selector ?? []);
}

export interface Group {
  /** The part of the page that a person would name. */
  node: number | null;
  items: Item[];
  /** The largest part with nothing else in it. */
  top: number | null;
}

/** Joins `members` to the largest parts of the page with nothing else in them. `all`: all items of the page. */
export function groupItems(members: Item[], all: Item[], tree: TreeNode[]): Group[] {
  const counts = new Map<number, { members: number; all: number }>();
  const isMember = new Set(members);
  for (const item of all)
    for (const node of upwards(tree, item.node)) {
      const count = counts.get(node) ?? { members: 0, all: 0 };
      counts.set(node, { members: count.members + Number(isMember.has(item)), all: count.all + 1 });
    }
  const groups = new Map<number, Group>();
  const single: Group[] = [];
  for (const item of members) {
    let top: number | null = item.node;
    for (const node of upwards(tree, item.node)) {
      const count = counts.get(node);
      if (!count || count.members < count.all || isWholePage(tree[node])) break;
      top = node;
    }
    if (top === null) single.push({ node: null, items: [item], top: null });
    else groups.set(top, { node: top, items: [...(groups.get(top)?.items ?? []), item], top });
  }
  return [...[...groups.values()].map((group) => ({ ...group, node: namedNode(group, tree) })), ...single];
}

/** From the smallest part that has all items outwards, the first with a name. */
function namedNode({ items, top }: Group, tree: TreeNode[]): number | null {
  const chains = items.map((item) => [...upwards(tree, item.node)]);
  const common = (chains[0] ?? []).filter((node) => chains.every((chain) => chain.includes(node)));
  const inside = common.slice(0, top === null ? 0 : common.indexOf(top) + 1);
  const node = inside.find((at) => nounOf(tree[at]) !== undefined) ?? inside[0];
  return node ?? top;
}

export function isWholePage(node: TreeNode | undefined): boolean {
  return node === undefined || node.tag === "body" || node.tag === "html";
}
