/** Splits a page into items that can be found again in another screenshot of it: text, controls and pictures. */

import type { Box, ElementList, TreeNode } from "../comparison.ts";

export interface Item {
  tag: string;
  role: string;
  /** Accessible name; for a picture, its alternative text. */
  name: string;
  /** Excludes the text of items inside it. */
  text: string;
  /** Includes the text of items inside it. */
  fullText: string;
  /** In image pixels. */
  box: Box;
  selector: string | null;
  /** Index in the tree; null for an element outside it. */
  node: number | null;
  isPicture: boolean;
  /** Items with equal keys are considered the same, wherever they are on the page. */
  key: string;
}

const pictureTags = new Set(["img", "canvas", "video", "iframe", "object", "embed", "svg"]);
/** Minimum width and height, in image pixels, of a picture that isn't a listed element. Anything smaller is assumed to be an icon. */
const pictureMin = 24;
/** Boxes up to this width or height, in image pixels, are assumed to hold text meant only for screen readers. Many are a single pixel. */
const textMin = 3;

/** The items of a page, in document order. */
export function itemsOf({ elements, tree = [] }: ElementList): Item[] {
  const listed = new Set(elements.map(({ node }) => node));
  const names = new Map<number | undefined, string>(); // names of elements without text
  for (const { node, text, name } of elements) if (!text && !names.has(node)) names.set(node, name);
  const items = elements
    .filter(({ box }) => box.width > textMin && box.height > textMin)
    .map((element): Item => {
      const { tag, role, name, text, box, selector = null, node = null } = element;
      return {
        tag,
        role,
        name: name.trim(),
        text: text.trim(),
        fullText: text.trim(),
        box,
        selector,
        node,
        isPicture: pictureTags.has(tag),
        key: "",
      };
    });
  for (const [node, { tag, box, selector, alt, src, parent }] of tree.entries()) {
    if (!pictureTags.has(tag) || listed.has(node) || Math.min(box.width, box.height) < pictureMin) continue;
    const name = alt?.trim() || (parent === null ? "" : names.get(parent)) || "";
    items.push({
      tag,
      role: "img",
      name,
      text: "",
      fullText: "",
      box,
      selector,
      node,
      isPicture: true,
      key: `${tag}|${name}|${src}|${box.width}×${box.height}`,
    });
  }
  items.sort((one, other) => (one.node ?? 0) - (other.node ?? 0));
  removeNestedText(items, tree);
  for (const item of items) item.key ||= `${item.tag}|${item.role}|${item.text}|${item.text ? "" : item.name}`;
  return items;
}

/** Indices in the tree of `node` and its ancestors, innermost first, at most `countMax`. */
export function* selfAndAncestors(tree: TreeNode[], node: number | null, countMax = Number.POSITIVE_INFINITY): Generator<number> {
  for (let [at, count] = [node, 0]; at !== null && count < countMax; at = tree[at]?.parent ?? null, count++) yield at;
}

/** Removes the text of inner items from their container's text. */
function removeNestedText(items: Item[], tree: TreeNode[]): void {
  const byNode = new Map(items.map((item) => [item.node, item]));
  const closest: (Item | undefined)[] = [];
  for (const [at, { parent }] of tree.entries()) closest[at] = byNode.get(at) ?? (parent === null ? undefined : closest[parent]);
  for (const item of items) {
    const parent = item.node === null ? null : (tree[item.node]?.parent ?? null);
    const container = parent === null ? undefined : closest[parent];
    if (container && item.fullText) container.text = container.text.replace(item.fullText, "").replace(/\s+/g, " ").trim();
  }
}
