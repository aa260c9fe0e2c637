/** The options that a capture was asked for: without those that are as they always are. */

import { given, type OptionGroup, shareable, type Values } from "../playground/parameters.ts";

/** What of a record differs from the defaults, without the address. */
export function chosen(options: Record<string, unknown>, groups: OptionGroup[]): Values {
  const known = new Set(groups.flatMap((group) => group.options.map(({ name }) => name)));
  const texts = Object.entries(options).filter(([name, value]) => known.has(name) && value !== null);
  return given(Object.fromEntries(texts.map(([name, value]) => [name, Array.isArray(value) ? value.map(String) : String(value)])), groups);
}

/** Secrets are not kept, so they can't come back. */
export function again(url: string, options: Values, groups: OptionGroup[]): Values {
  return { url, ...shareable(options, groups) };
}
