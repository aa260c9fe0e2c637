/** The options of a recorded screenshot. */

import { given, type OptionGroup, shareable, type Values } from "../playground/parameters.ts";

/** The options that differ from their defaults, without `url`. */
export function chosen(options: Record<string, unknown>, groups: OptionGroup[]): Values {
  const known = new Set(groups.flatMap((group) => group.options.map(({ name }) => name)));
  const texts = Object.entries(options).filter(([name, value]) => known.has(name) && value !== null);
  return given(Object.fromEntries(texts.map(([name, value]) => [name, Array.isArray(value) ? value.map(String) : String(value)])), groups);
}

/** The playground's values for the same screenshot, except for secrets, which are not stored. */
export function again(url: string, options: Values, groups: OptionGroup[]): Values {
  return { url, ...shareable(options, groups) };
}

/** The caller's own document shown in the screenshot in place of a page, as its kind, hash and length; its text is not stored. */
export function documentOf({ html, markdown }: Record<string, unknown>): string | undefined {
  if (typeof html === "string") return `HTML, ${html}`;
  return typeof markdown === "string" ? `Markdown, ${markdown}` : undefined;
}
