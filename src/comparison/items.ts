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
    const name = alt?.trim() || (parent === null ? "" : elements.find((element) => element.node === parent && !element.text)?.name) || "";
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

/** Positions in the tree of what contains `node`, innermost first, with `node` itself. */
export function* upwards(tree: TreeNode[], node: number | null): Generator<number> {
  for (let at = node; at !== null; at = tree[at]?.parent ?? null) yield at;
}

/** An item's text has the texts of items in it: removes them. */
function removeInner(items: Item[], tree: TreeNode[]): void {
  const byNode = new Map(items.map((item) => [item.node, item]));
  for (const item of items) {
    const [, ...outer] = upwards(tree, item.node);
    for (const node of outer) {
      const container = byNode.get(node);
      if (container && item.whole) container.text = container.text.replace(item.whole, "").replace(/\s+/g, " ").trim();
      if (container) break;
    }
  }
}
