/** Common nouns for the parts of a page. */

import type { TreeNode } from "../comparison.ts";
import type { Item } from "./items.ts";

const nouns: Record<string, string> = {
  a: "Link",
  article: "Article",
  aside: "Sidebar",
  blockquote: "Quote",
  button: "Button",
  canvas: "Canvas",
  dd: "Entry",
  dl: "List",
  dt: "Entry",
  embed: "Embedded content",
  figure: "Figure",
  footer: "Footer",
  form: "Form",
  header: "Header",
  iframe: "Frame",
  img: "Image",
  input: "Field",
  label: "Label",
  li: "List item",
  nav: "Navigation",
  object: "Embedded content",
  ol: "List",
  option: "Option",
  p: "Paragraph",
  picture: "Image",
  pre: "Code",
  section: "Section",
  select: "Field",
  summary: "Heading",
  svg: "Image",
  table: "Table",
  tbody: "Table",
  td: "Table cell",
  textarea: "Field",
  th: "Table cell",
  thead: "Table",
  tr: "Table row",
  ul: "List",
  video: "Video",
};

const roles: Record<string, string> = {
  alert: "Message",
  banner: "Header",
  button: "Button",
  dialog: "Dialog",
  heading: "Heading",
  img: "Image",
  link: "Link",
  listitem: "List item",
  status: "Message",
};

/** Words in class names and ids that describe an element. */
const known = /\b(banner|badge|card|chart|hero|logo|menu|price|promo|notice|alert|toast|toolbar|tooltip|avatar|dialog|modal|popup)\b/i;

/** @returns undefined for elements without a noun, such as a plain `div`. */
export function nounOf(node: TreeNode | undefined): string | undefined {
  if (!node) return undefined;
  return ownName(node) ?? nouns[node.tag] ?? (/^h[1-6]$/.test(node.tag) ? "Heading" : undefined);
}

/** A noun from the node's classes or id. */
function ownName({ id, classes }: TreeNode): string | undefined {
  const name = known.exec([id ?? "", ...classes].join(" ").replace(/[-_]/g, " "))?.[0]?.toLowerCase();
  return name && name.charAt(0).toUpperCase() + name.slice(1);
}

/** @param node the item's node, whose id and classes take precedence. */
export function itemNoun({ role, tag }: Item, node?: TreeNode): string {
  return (node && ownName(node)) ?? roles[role] ?? nouns[tag] ?? (/^h[1-6]$/.test(tag) ? "Heading" : "Text");
}
