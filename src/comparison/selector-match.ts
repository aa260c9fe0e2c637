/** Finds nodes of a stored tree by CSS selector: type, `#id`, `.class`, `:nth-child(n)`, `>`, descendants, and lists of them. */

import type { TreeNode } from "./comparison.ts";

type Test = (node: TreeNode) => boolean;
/** A compound selector with the combinator before it. */
interface Step {
  isChild: boolean;
  test: Test;
}

/** The selector that `format=elements` gives an element always finds it. @returns Positions in the tree. */
export function findNodes(tree: TreeNode[], selector: string): number[] {
  const lists = selector.split(",").map((one) => parseSteps(one.trim()));
  const steps = lists.filter((list) => list !== undefined);
  return [...tree.keys()].filter((at) => tree[at]?.selector === selector.trim() || steps.some((list) => matches(tree, at, list)));
}

/** Whether it consists of what this supports. */
export function isSupported(selector: string): boolean {
  return selector.split(",").every((one) => parseSteps(one.trim()) !== undefined);
}

function matches(tree: TreeNode[], at: number, steps: Step[]): boolean {
  const [last, ...rest] = steps.toReversed();
  const node = tree[at];
  if (!last || !node?.tag || !last.test(node)) return false;
  if (rest.length === 0) return true;
  const outer = rest.toReversed();
  for (let above = node.parent; above !== null; above = tree[above]?.parent ?? null) {
    if (matches(tree, above, outer)) return true;
    if (last.isChild) return false;
  }
  return false;
}

/** @returns undefined for what this doesn't support. */
function parseSteps(selector: string): Step[] | undefined {
  const steps: Step[] = [];
  let isChild = false;
  for (const part of selector.replaceAll(">", " > ").split(/\s+/).filter(Boolean)) {
    if (part === ">") {
      isChild = true;
      continue;
    }
    const test = parseCompound(part);
    if (!test) return undefined;
    steps.push({ isChild, test });
    isChild = false;
  }
  return steps.length > 0 ? steps : undefined;
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
