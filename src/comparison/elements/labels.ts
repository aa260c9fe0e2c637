/** Finds the label of a text: its term, row, column, or the heading of its card. */

import { overlap } from "../boxes.ts";
import { isWholePage } from "../draft.ts";
import { type Item, selfAndAncestors } from "./items.ts";
import type { Outline } from "./outline.ts";

const labelMax = 40;
/** If a part of the page has more items, its heading probably covers other things as well. */
const itemsMax = 12;
/** Maximum number of enclosing parts that are searched for a heading. */
const levelsMax = 50;

/** @returns null if there is no unambiguous label, or if the item is a heading or a long text itself. */
export function labelOf(item: Item, all: Item[], outline: Outline): string | null {
  if (item.role === "heading" || /^h[1-6]$/.test(item.tag) || item.text.length > 60) return null;
  const found = cellLabel(item, all, outline) ?? termLabel(item, all) ?? beforeColon(item, all) ?? cardHeading(item, all, outline);
  const label = found?.replace(/[:：]\s*$/, "").trim();
  return label && label.length <= labelMax && label !== item.text ? label : null;
}

/** The row's heading (or first cell) together with the column's. For the first cell itself, only the column's heading. */
function cellLabel(item: Item, all: Item[], { closest }: Outline): string | null {
  const row = closest(item.node, "tr");
  if (row === null) return null;
  const cells = all.filter((other) => other !== item && closest(other.node, "tr") === row && other.text);
  const first = cells.find(({ tag }) => tag === "th") ?? cells[0];
  const table = closest(item.node, "table");
  const columns = all.filter((other) => other.tag === "th" && closest(other.node, "table") === table);
  const column = columns.find(
    ({ box }) => box.y < item.box.y && overlap({ ...box, y: 0, height: 1 }, { ...item.box, y: 0, height: 1 }) > 0,
  );
  if (!first || first.box.x > item.box.x) return column?.text ?? null;
  return column && column !== first && column.text ? `${first.text}, ${column.text}` : first.text;
}

function termLabel(item: Item, all: Item[]): string | null {
  if (item.tag !== "dd") return null;
  return all.slice(0, all.indexOf(item)).findLast(({ tag }) => tag === "dt")?.text ?? null;
}

/** A text on the same line that ends with a colon, or a field's label. */
function beforeColon(item: Item, all: Item[]): string | null {
  const previous = all[all.indexOf(item) - 1];
  if (!previous || Math.abs(previous.box.y - item.box.y) > item.box.height) return null;
  return /[:：]$/.test(previous.text) || previous.tag === "label" || previous.tag === "dt" ? previous.text : null;
}

/** The heading of the smallest enclosing part that has exactly one, unless that part is large. */
function cardHeading(item: Item, all: Item[], { tree, contains }: Outline): string | null {
  for (const node of selfAndAncestors(tree, item.node, levelsMax)) {
    if (isWholePage(tree[node]) || tree[node]?.tag === "main") return null;
    const inside = all.filter((other) => contains(node, other.node));
    if (inside.length > itemsMax) return null;
    const headings = inside.filter(({ role }) => role === "heading");
    if (headings.length > 0) return headings.length === 1 ? (headings[0]?.text ?? null) : null;
  }
  return null;
}
