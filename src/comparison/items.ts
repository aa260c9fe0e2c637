/** What a page shows, as pieces that can be found again in another screenshot of it: texts, controls, pictures. */

import type { Box, ElementList, TreeNode } from "./comparison.ts";

export interface Item {
  tag: string;
  role: string;
  /** Accessible name; of a picture, its alternative text. */
  name: string;
  /** Without the text of items in it. */
  text: string;
  /** With it. */
  whole: string;
  box: Box;
  selector: string | null;
  node: number | null;
  isPicture: boolean;
  /** The same for items that look like one another. */
  key: string;
}

const pictureTags = new Set(["img", "canvas", "video", "iframe", "object", "embed", "svg"]);
/** Smaller ones are the icons of a control. */
const pictureMin = 24;
/** Texts for screen readers alone are boxes of one pixel. */
const textMin = 3;

/** In the document's order. */
export function itemsOf({ elements, tree = [] }: ElementList): Item[] {
  const listed = new Set(elements.map(({ node }) => node));
  const names = new Map<number | undefined, string>(); // of elements without a text
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
        whole: text.trim(),
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
      whole: "",
      box,
      selector,
      node,
      isPicture: true,
      key: `${tag}|${name}|${src}|${box.width}×${box.height}`,
    });
  }
  items.sort((one, other) => (one.node ?? 0) - (other.node ?? 0));
  removeInner(items, tree);
  for (const item of items) item.key ||= `${item.tag}|${item.role}|${item.text}|${item.text ? "" : item.name}`;
  return items;
}

/** Positions in the tree of what contains `node`, innermost first, with `node` itself: at most `countMax`. */
export function* upwards(tree: TreeNode[], node: number | null, countMax = Number.POSITIVE_INFINITY): Generator<number> {
  for (let [at, count] = [node, 0]; at !== null && count < countMax; at = tree[at]?.parent ?? null, count++) yield at;
}

/** An item's text has the texts of items in it: removes them. */
function removeInner(items: Item[], tree: TreeNode[]): void {
  const byNode = new Map(items.map((item) => [item.node, item]));
  const closest: (Item | undefined)[] = [];
  for (const [at, { parent }] of tree.entries()) closest[at] = byNode.get(at) ?? (parent === null ? undefined : closest[parent]);
  for (const item of items) {
    const parent = item.node === null ? null : (tree[item.node]?.parent ?? null);
    const container = parent === null ? undefined : closest[parent];
    if (container && item.whole) container.text = container.text.replace(item.whole, "").replace(/\s+/g, " ").trim();
  }
}
