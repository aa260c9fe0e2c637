/**
 * Finds nodes of a stored tree by CSS selector. Supports `*`, types, `#id`, `.class`, `:nth-child(n)`, `:first-child`, `>`,
 * descendants and lists.
 */

import type { TreeNode } from "../comparison.ts";

type Test = (node: TreeNode) => boolean;
/** A compound selector with its preceding combinator. */
interface Step {
  isChild: boolean;
  test: Test;
}

/** Finds all nodes that match a supported selector, or the node for which `format=elements` returned it. @returns indices in the tree. */
export function findNodes(tree: TreeNode[], selector: string): number[] {
  const lists = selector.split(",").map((one) => parseSteps(one.trim()));
  const found = lists.filter((list) => list !== undefined).map((list) => matching(tree, list));
  return [...tree.keys()].filter((at) => tree[at]?.selector === selector.trim() || found.some((isFound) => isFound[at] === 1));
}

/** Whether the selector uses only supported syntax. */
export function isSupported(selector: string): boolean {
  return selector.split(",").every((one) => parseSteps(one.trim()) !== undefined);
}

/**
 * One byte per node, 1 if it matches. Each step takes at most two passes over the tree, regardless of its depth and the number of matches.
 */
function matching(tree: TreeNode[], steps: Step[]): Uint8Array {
  let found = new Uint8Array(tree.length);
  for (const [at, { isChild, test }] of steps.entries()) {
    const outer = at === 0 ? undefined : isChild ? found : withDescendants(tree, found);
    found = new Uint8Array(tree.length);
    for (const [position, node] of tree.entries()) {
      const isInside = outer === undefined || (node.parent !== null && outer[node.parent] === 1);
      if (isInside && node.tag && test(node)) found[position] = 1;
    }
  }
  return found;
}

/** Relies on parents preceding their children. */
function withDescendants(tree: TreeNode[], found: Uint8Array): Uint8Array {
  const all = found.slice();
  for (const [at, { parent }] of tree.entries()) if (parent !== null && all[parent] === 1) all[at] = 1;
  return all;
}

/** @returns undefined for unsupported syntax. */
function parseSteps(selector: string): Step[] | undefined {
  const steps: Step[] = [];
  let isChild = false;
  for (const part of selector.replaceAll(">", " > ").split(/\s+/).filter(Boolean)) {
    if (part === ">") {
      if (isChild || steps.length === 0) return undefined;
      isChild = true;
      continue;
    }
    const test = parseCompound(part);
    if (!test) return undefined;
    steps.push({ isChild, test });
    isChild = false;
  }
  return steps.length > 0 && !isChild ? steps : undefined;
}

function parseCompound(compound: string): Test | undefined {
  const parts = compound.match(/^(\*|[\w-]+)|[#.][\w-]+|:nth-child\(\d+\)|:first-child/g) ?? [];
  if (parts.join("") !== compound) return undefined;
  const tests = parts.map((part): Test => {
    if (part.startsWith("#")) return ({ id }) => id === part.slice(1);
    if (part.startsWith(".")) return ({ classes }) => classes.includes(part.slice(1));
    if (part.startsWith(":")) return ({ nth }) => nth === Number(/\d+/.exec(part) ?? 1);
    return ({ tag }) => part === "*" || tag === part.toLowerCase();
  });
  return (node) => tests.every((test) => test(node));
}
