/** Indexes a tree of elements: `contains` takes constant time at any depth, and so does `closest` after its first call for a tag. */

import type { TreeNode } from "../comparison.ts";

export interface Outline {
  tree: TreeNode[];
  /** Whether `inner` is `outer` or one of its descendants. */
  contains(outer: number, inner: number | null): boolean;
  /** The closest node with this tag, starting with `node` itself. */
  closest(node: number | null, tag: string): number | null;
  /** The lowest common ancestor; null if there is none. */
  common(nodes: (number | null)[]): number | null;
}

/** @param tree parents come before their children. */
export function createOutline(tree: TreeNode[]): Outline {
  // Preorder numbers: a node's descendants are numbered directly after it. `sizes` counts each node and its descendants.
  const sizes = new Int32Array(tree.length).fill(1);
  for (let at = tree.length - 1; at >= 0; at--) {
    const parent = tree[at]?.parent ?? null;
    if (parent !== null) sizes[parent] = (sizes[parent] ?? 0) + (sizes[at] ?? 0);
  }
  const first = new Int32Array(tree.length);
  const next = new Int32Array(tree.length);
  let root = 0;
  for (const [at, { parent }] of tree.entries()) {
    const number = parent === null ? root : (next[parent] ?? 0);
    first[at] = number;
    next[at] = number + 1;
    if (parent === null) root += sizes[at] ?? 0;
    else next[parent] = number + (sizes[at] ?? 0);
  }
  const contains = (outer: number, inner: number | null) => {
    if (inner === null) return false;
    const [from, number] = [first[outer] ?? 0, first[inner] ?? 0];
    return number >= from && number < from + (sizes[outer] ?? 0);
  };
  const closestByTag = new Map<string, Int32Array>();
  const closestOf = (tag: string) => {
    const found = new Int32Array(tree.length);
    for (const [at, node] of tree.entries()) found[at] = node.tag === tag ? at : node.parent === null ? -1 : (found[node.parent] ?? -1);
    closestByTag.set(tag, found);
    return found;
  };
  return {
    tree,
    contains,
    closest: (node, tag) => {
      const found = node === null ? -1 : ((closestByTag.get(tag) ?? closestOf(tag))[node] ?? -1);
      return found < 0 ? null : found;
    },
    common: ([one = null, ...others]) => {
      let common = one;
      for (const other of others) while (common !== null && !contains(common, other)) common = tree[common]?.parent ?? null;
      return common;
    },
  };
}
