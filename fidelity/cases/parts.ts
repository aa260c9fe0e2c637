/** Building blocks for the custom pages. */

import { photograph } from "../site/photographs.ts";

const text =
  "A library is used as its own documentation shows. Everything around it is as plain as possible, so that whatever is missing from an image is the library's.";

/** A complete document: libraries and styles in `head`, content and scripts in `body`. */
export function page(head: string, body: string): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Page</title><meta name="viewport" content="width=device-width">
<style>body { margin: 0; font: 17px/1.5 sans-serif; color: #222; background: #fff } main { max-width: 900px; margin: 0 auto; padding: 24px } img { max-width: 100% }</style>
${head}</head><body>${body}</body></html>`;
}

export function times(count: number, make: (index: number) => string): string {
  return Array.from({ length: count }, (_, index) => make(index)).join("\n");
}

export function paragraphs(count: number): string {
  return times(count, () => `<p>${text}</p>`);
}

/** Sections of text, about 400 pixels each. */
export function sections(count: number, attributes = ""): string {
  return times(count, (index) => `<section ${attributes}><h2>Section ${index + 1}</h2>${paragraphs(4)}</section>`);
}

/** A card about 300 pixels high, with a photograph. */
export function card(index: number, attributes = ""): string {
  return `<div ${attributes}><h3>Card ${index + 1}</h3><img width="320" height="220" alt="" src="${photograph(index)}" style="object-fit: cover"></div>`;
}
