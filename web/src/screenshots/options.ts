/** The options of a capture as text, and as a way back to the playground. */

import type { Search } from "../search.ts";

/** Stands in a record where a secret value was. */
const hidden = /^\[.*\]$/;

export function optionTexts(options: Record<string, unknown>): [string, string][] {
  return Object.entries(options).map(([name, value]) => [name, Array.isArray(value) ? value.join(", ") : String(value)]);
}

/** Secrets are not kept, so they can't come back. */
export function againSearch(url: string, options: Record<string, unknown>): Search {
  const texts = Object.entries(options).filter(([name, value]) => name !== "url" && value !== null && !hidden.test(String(value)));
  return { url, ...Object.fromEntries(texts.map(([name, value]) => [name, Array.isArray(value) ? value.map(String) : String(value)])) };
}
