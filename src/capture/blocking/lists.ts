/** Loads the compiled filter lists and the consent engine's files on first use. */

import { readFile } from "node:fs/promises";
import { parse } from "tldts";
import { once } from "../../shared/once.ts";
import { wildcards } from "./wildcards.ts";

export const listNames = ["ads", "trackers", "cookie_banners", "chats"] as const;
export type ListName = (typeof listNames)[number];

export interface ListedRequest {
  url: string;
  /** URL of the requesting document. */
  sourceUrl: string;
  /** Chromium's resource type in lower case; a frame's document is `sub_frame`. */
  type: string;
}

/** Features of a page's elements that a list's hiding rules can match. */
export interface Features {
  classes: string[];
  ids: string[];
  hrefs: string[];
}

export interface FilterList {
  /** Takes the list's exceptions into account. */
  blocks(request: ListedRequest): boolean;
  /** CSS that depends only on the URL. */
  styles(url: string): string;
  /** CSS for elements with these features. */
  stylesFor(url: string, features: Features): string;
}

const folder = new URL("../../../blocklists/", import.meta.url);
const cache = new Map<string, Promise<unknown>>();

/**
 * A compiled file parsed by `read`, cached for all captures.
 * @returns undefined if the file is missing or invalid. Failures aren't cached, because the file may be added while the service is running.
 */
export async function compiled<T>(name: string, read: (bytes: Buffer) => T | Promise<T>): Promise<T | undefined> {
  const reading = cache.get(name) ?? readFile(new URL(name, folder)).then(read);
  cache.set(name, reading);
  try {
    return (await reading) as T;
  } catch {
    cache.delete(name);
    return undefined;
  }
}

export async function filterList(name: ListName): Promise<FilterList | undefined> {
  return await compiled(`${name}.engine`, readList);
}

/** Rules are about hosts and paths. A longer URL could also contain the words of thousands of rules, each of which would be tried. */
export const urlLengthMax = 2_048;

async function readList(bytes: Buffer): Promise<FilterList> {
  const { FiltersEngine, Request } = await library();
  const engine = FiltersEngine.deserialize(bytes);
  const styles = (url: string, part: "page" | Features) => {
    const { hostname, domain } = parse(url);
    return engine.getCosmeticsFilters({
      url,
      hostname: hostname ?? "",
      domain,
      getBaseRules: part === "page",
      getRulesFromHostname: part === "page",
      ...(part === "page" ? { getRulesFromDOM: false } : part),
      getInjectionRules: false, // the lists' scriptlets never run
      getExtendedRules: false,
    }).styles;
  };
  return {
    blocks({ url, sourceUrl, type }) {
      const urls = { url: url.slice(0, urlLengthMax), sourceUrl: listedUrl(sourceUrl).slice(0, urlLengthMax) };
      return engine.match(Request.fromRawDetails({ ...urls, type: type as never })).match;
    },
    styles: (url) => styles(listedUrl(url), "page"),
    stylesFor: (url, features) => styles(listedUrl(url), features),
  };
}

/**
 * The library, with filters whose wildcards match in linear time. It would turn them into regular expressions such as `.*\.com.*tt`, which
 * can take minutes for a URL that a page has made for it. Regular expressions in the lists are proven linear when the lists are compiled.
 */
const library = once(async () => {
  const loaded = await import("@ghostery/adblocker");
  const filters = loaded.NetworkFilter.prototype;
  const { getRegex } = filters;
  filters.getRegex = function getLinear(this: typeof filters): RegExp {
    if (this.regex === undefined && this.filter !== undefined && this.isRegex() && !this.isFullRegex()) {
      const test = wildcards({ pattern: this.filter, isLeftAnchored: this.isLeftAnchor(), isRightAnchored: this.isRightAnchor() });
      this.regex = { test } as RegExp; // the library only calls `test`
    }
    return getRegex.call(this);
  };
  return loaded;
});

/** Replaces `localhost` in the URL of a caller's own document (see `addressOf` in `capture/options.ts`): the lists hide nothing there. */
function listedUrl(url: string): string {
  return url.replace(/^http:\/\/(html|markdown)\.localhost\//, "http://$1.invalid/");
}
