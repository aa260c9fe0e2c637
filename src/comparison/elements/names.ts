/** Names regions as a person would. */

import { area, overlap } from "../boxes.ts";
import type { Box, TreeNode } from "../comparison.ts";
import { type Draft, groupItems, isWholePage } from "../draft.ts";
import { type Item, selfAndAncestors } from "./items.ts";
import { itemNoun, nounOf } from "./nouns.ts";
import type { Outline } from "./outline.ts";

const textMax = 60;

/** @param all every item on the draft's page. */
export function nameOf(draft: Draft, all: Item[], outline: Outline): string {
  const { kind, texts, items } = draft;
  const [item] = items;
  if (texts && item) return changedText(texts.before, texts.after, labelOf(item, all, outline));
  const subject = subjectOf(draft, all, outline);
  if (kind === "added" || kind === "removed")
    return draft.isLook && draft.node !== null && items.length > 0 ? `${subject}: something ${kind}` : `${subject} ${kind}`;
  if (kind === "moved") return `${subject} moved${movement(draft.before, draft.after)}`;
  return item && items.length === 1 && item.node === draft.node && !item.isPicture ? `${subject} looks different` : `${subject} changed`;
}

function changedText(before: string, after: string, label: string | null): string {
  const start = /^[^:]{1,40}: /.exec(before)?.[0];
  if (start && after.startsWith(start)) return `${start}${clip(before.slice(start.length))} → ${clip(after.slice(start.length))}`;
  if (before === "") return `${label ? `${label}: ` : ""}“${clip(after)}” added`;
  if (after === "") return `${label ? `${label}: ` : ""}“${clip(before)}” removed`;
  const [old, fresh] = difference(before, after);
  return label ? `${label}: ${old} → ${fresh}` : `“${old}” → “${fresh}”`;
}

/** Shortens long text to the words that differ and a few around them. */
function difference(before: string, after: string): [string, string] {
  if (before.length <= textMax && after.length <= textMax) return [before, after];
  const [old, fresh] = [before.split(" "), after.split(" ")];
  let start = 0;
  while (start < Math.min(old.length, fresh.length) && old[start] === fresh[start]) start++;
  let end = 0;
  while (end < Math.min(old.length, fresh.length) - start && old.at(-1 - end) === fresh.at(-1 - end)) end++;
  const around = 3;
  const part = (words: string[]) => {
    const [from, to] = [Math.max(0, start - around), Math.min(words.length, words.length - end + around)];
    return `${from > 0 ? "…" : ""}${clip(words.slice(from, to).join(" "))}${to < words.length ? "…" : ""}`;
  };
  return [part(old), part(fresh)];
}

function subjectOf(draft: Draft, all: Item[], outline: Outline): string {
  const { tree } = outline;
  const { node, items, isReordered, isLook, kind } = draft;
  const [item] = items;
  const element = node === null ? undefined : tree[node];
  if (kind === "moved" && item?.tag === "") return "Content";
  if (!item && !element) return "Area";
  const leastShare = nounOf(element) ? 1 / 10 : 1 / 4;
  if (element && items.length !== 1 && isLook && shareOf(draft, element) <= leastShare) return nearest(draft, all);
  if (element && isWholePage(element) && items.length !== 1) return "Page";
  if (kind === "moved" && !isReordered && item && items.length > 1) {
    const top = smallestAround(items, outline);
    if (top) return named(nounOf(top) ?? "Section", items);
    const first = groupItems([item], all, outline)[0]?.node ?? null;
    return `${named((first !== null && nounOf(tree[first])) || itemNoun(item), [item])} and what follows`;
  }
  const only = items.length === 1 ? item : undefined;
  if (only && isLook && !only.text && tree.some((inner) => isPictureOf(inner, only))) return named("Image", items);
  const noun =
    (only && only.node === node && !only.isPicture ? itemNoun(only, element) : nounOf(element)) ??
    (only && !(isLook && element && only.node !== node) && itemNoun(only));
  return named(noun || (items.some(({ role }) => role === "heading") ? "Section" : "Area"), items);
}

/** Whether the node is a picture directly inside the item and fills most of it. */
function isPictureOf({ tag, parent, box }: TreeNode, { node, box: outer }: Item): boolean {
  return ["img", "svg", "picture", "canvas", "video"].includes(tag) && parent === node && area(box) > 0.8 * area(outer);
}

function shareOf({ before, after }: Draft, { box }: TreeNode): number {
  return area(after ?? before ?? box) / area(box);
}

function nearest({ before, after }: Draft, all: Item[]): string {
  const box = after ?? before;
  if (!box) return "Area";
  const distance = (item: Item) => Math.abs(item.box.y - box.y) + Math.abs(item.box.x - box.x);
  let item: Item | undefined;
  for (const one of all) if ((one.text || one.name) && (!item || distance(one) < distance(item))) item = one;
  return item ? `Area near “${clip(item.text || item.name)}”` : "Area";
}

/** The smallest part of the page that contains all items; undefined if that is the whole page. */
function smallestAround(items: Item[], { tree, common }: Outline): TreeNode | undefined {
  const at = common(items.map((item) => item.node));
  const node = at === null ? undefined : tree[at];
  return isWholePage(node) ? undefined : node;
}

function named(noun: string, items: Item[]): string {
  const heading = items.find(({ role }) => role === "heading") ?? items.find(({ text, name }) => text || name);
  if (noun === "Table row")
    return `${noun} “${clip(
      items
        .map(({ text }) => text)
        .filter(Boolean)
        .join(", "),
    )}”`;
  const text = heading && (heading.text || heading.name);
  return text ? `${noun} “${clip(text)}”` : noun;
}

function movement(before: Box | null, after: Box | null): string {
  if (!before || !after) return "";
  const [dx, dy] = [after.x - before.x, after.y - before.y];
  const [vertical, horizontal] = [`${dy > 0 ? "down" : "up"} by ${Math.abs(dy)} px`, `${dx > 0 ? "right" : "left"} by ${Math.abs(dx)} px`];
  if (Math.abs(dx) <= 1) return ` ${vertical}`;
  return Math.abs(dy) <= 1 ? ` ${horizontal}` : ` ${vertical} and ${horizontal}`;
}

function clip(text: string): string {
  return text.length <= textMax ? text : `${text.slice(0, textMax - 1).trimEnd()}…`;
}

const labelMax = 40;
/** A heading that covers more items than this is too general to label one of them. */
const itemsMax = 12;
/** Maximum number of enclosing elements to search for a heading. */
const levelsMax = 50;

/** @returns null if there is no short, unambiguous label, or if the item is itself a heading or long text. */
function labelOf(item: Item, all: Item[], outline: Outline): string | null {
  if (item.role === "heading" || /^h[1-6]$/.test(item.tag) || item.text.length > 60) return null;
  const found = cellLabel(item, all, outline) ?? termLabel(item, all) ?? beforeColon(item, all) ?? cardHeading(item, all, outline);
  const label = found?.replace(/[:：]\s*$/, "").trim();
  return label && label.length <= labelMax && label !== item.text ? label : null;
}

/** The row header (or first cell) and the column header; for the first cell itself, only the column header. */
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

/** The preceding text on the same line, if it ends with a colon or is a label or term. */
function beforeColon(item: Item, all: Item[]): string | null {
  const previous = all[all.indexOf(item) - 1];
  if (!previous || Math.abs(previous.box.y - item.box.y) > item.box.height) return null;
  return /[:：]$/.test(previous.text) || previous.tag === "label" || previous.tag === "dt" ? previous.text : null;
}

/**
 * The heading of the smallest enclosing element that has any. Null if that element has several headings or too many items, or is `main` or
 * the whole page.
 */
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
