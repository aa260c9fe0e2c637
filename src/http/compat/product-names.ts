/** Maps other products' parameter names to ours, for error messages about unknown parameters. */

import { didYouMean, normalizedName } from "../input/problems.ts";
import type { Adapter, Entry } from "./adapter.ts";
import { browserless } from "./browserless.ts";
import { gotenberg } from "./gotenberg.ts";
import { microlink } from "./microlink.ts";
import { screenshotOne } from "./screenshotone.ts";
import { thumio } from "./thumio.ts";

interface Theirs {
  products: Set<string>;
  ours: Set<string>;
  /** Why the parameter is not supported. */
  reason?: string;
}

/** Parameters of products without an adapter. */
const further: readonly [name: string, product: string, ours: string][] = [
  ["accept_language", "ApiFlash", "locale"],
  ["css", "ApiFlash", "styles"],
  ["css", "Urlbox", "styles"],
  ["js", "ApiFlash", "scripts"],
  ["js", "Urlbox", "scripts"],
  ["element", "ApiFlash", "selector"],
  ["fresh", "ApiFlash", "is_cached"],
  ["no_ads", "ApiFlash", "block_ads"],
  ["no_cookie_banners", "ApiFlash", "block_cookie_banners"],
  ["no_tracking", "ApiFlash", "block_trackers"],
  ["scroll_page", "ApiFlash", "full_page_scroll"],
  ["thumbnail_width", "ApiFlash", "image_width"],
  ["transparent", "ApiFlash", "omit_background"],
  ["transparent", "Urlbox", "omit_background"],
  ["wait_for", "ApiFlash", "wait_for_selector"],
  ["wait_for", "Urlbox", "wait_for_selector"],
  ["disable_js", "Urlbox", "javascript"],
  ["hide_cookie_banners", "Urlbox", "block_cookie_banners"],
  ["hide_selector", "Urlbox", "hide_selectors"],
  ["retina", "Urlbox", "device_scale_factor"],
  ["thumb_height", "Urlbox", "image_height"],
  ["thumb_width", "Urlbox", "image_width"],
  ["wait_timeout", "Urlbox", "wait_until_timeout"],
  ["scale", "Playwright", "device_scale_factor"],
  ["timezoneId", "Playwright", "time_zone"],
  ["output", "screenshotapi.net", "response_type"],
  ["file_type", "screenshotapi.net", "format"],
];

/** Names of generic objects, whose members are also matched without the prefix. */
const groups = new Set(["options", "screenshot", "pdf"]);

let known: ReadonlyMap<string, Theirs> | undefined;

/**
 * Suggestion for an unknown name: ` (did you mean width?)`, ` (did you mean width, which ScreenshotOne calls viewport_width?)`, or why it
 * is not supported; empty if the name resembles none of `ours`, and no other product uses it for one of them or for something that we
 * reject with a reason.
 * @param ours options accepted where the unknown name was sent.
 */
export function suggestionFor(name: string, ours: string[]): string {
  const folded = normalizedName(name.slice(0, 50));
  const isSpelledOtherwise = ours.some((own) => normalizedName(own) === folded);
  return (isSpelledOtherwise ? "" : theirName(name.slice(0, 50), ours)) || didYouMean(name, ours);
}

function theirName(name: string, ours: string[]): string {
  known ??= readTables();
  const found = known.get(normalizedName(name));
  if (!found) return "";
  const products = listed([...found.products], "and");
  const options = [...found.ours].filter((option) => ours.includes(option));
  if (options.length > 0)
    return ` (did you mean ${listed(options.slice(0, namesMax), "or")}, which ${products} ${found.products.size > 1 ? "call" : "calls"} ${name}?)`;
  return found.reason ? ` (used by ${products}, but not supported here: ${found.reason})` : "";
}

/** Maximum number of options listed in a message. */
const namesMax = 6;

function listed(names: string[], word: "and" | "or"): string {
  return names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} ${word} ${names.at(-1)}`;
}

function readTables(): Map<string, Theirs> {
  const all = new Map<string, Theirs>();
  const add = (name: string, product: string, { ours, note, refuses }: Pick<Entry, "ours" | "note" | "refuses">) => {
    const theirs = all.get(normalizedName(name)) ?? { products: new Set(), ours: new Set() };
    all.set(normalizedName(name), theirs);
    theirs.products.add(product);
    for (const option of ours) theirs.ours.add(option);
    if (refuses && note) theirs.reason ??= note;
  };
  for (const [name, product, ...ours] of further) add(name, product, { ours });
  for (const adapter of [screenshotOne, browserless, microlink, gotenberg, thumio] as Adapter[])
    for (const { table = {} } of [adapter, ...adapter.routes])
      for (const [name, entry] of Object.entries(table)) for (const one of namesIn(name)) add(one, adapter.title, entry);
  return all;
}

/** The name itself, and also its parent object (such as `viewport`) or, if that is generic (such as `options`), the rest of the name. */
function namesIn(name: string): string[] {
  const [group = "", ...rest] = name.split(".");
  if (rest.length === 0) return [name];
  return groups.has(group) ? [name, ...namesIn(rest.join("."))] : [name, group];
}
