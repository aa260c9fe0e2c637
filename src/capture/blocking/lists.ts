/** The compiled filter lists and what lies beside them, each loaded when a capture first asks for it. */

import { readFile } from "node:fs/promises";
import { parse } from "tldts";

export type ListName = "ads" | "trackers" | "cookie_banners" | "chats";

export interface ListedRequest {
  url: string;
  /** Of the document that asks. */
  sourceUrl: string;
  /** Chromium's resource type in lower case; a frame's document is `sub_frame`. */
  type: string;
}

/** What the hiding rules of a list look for in a page. */
export interface Features {
  classes: string[];
  ids: string[];
  hrefs: string[];
}

export interface FilterList {
  /** Exceptions of the list are honoured. */
  blocks(request: ListedRequest): boolean;
  /** CSS for every page of this address. */
  styles(url: string): string;
  /** CSS for what is in the page. */
  stylesFor(url: string, features: Features): string;
}

const folder = new URL("../../../blocklists/", import.meta.url);
const kept = new Map<string, Promise<unknown>>();

/**
 * What `read` makes of a compiled file, once for all captures.
 * @returns undefined where the file is missing, or can't be read: a right one may come while the service runs.
 */
export async function compiled<T>(name: string, read: (bytes: Buffer) => T | Promise<T>): Promise<T | undefined> {
  const reading = kept.get(name) ?? readFile(new URL(name, folder)).then(read);
  kept.set(name, reading);
  try {
    return (await reading) as T;
  } catch {
    kept.delete(name);
    return undefined;
  }
}

export async function filterList(name: ListName): Promise<FilterList | undefined> {
  return await compiled(`${name}.engine`, readList);
}

async function readList(bytes: Buffer): Promise<FilterList> {
  const { FiltersEngine, Request } = await import("@ghostery/adblocker");
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
      getInjectionRules: false, // code of the lists never runs in a page
      getExtendedRules: false,
    }).styles;
  };
  return {
    blocks: ({ url, sourceUrl, type }) => engine.match(Request.fromRawDetails({ url, sourceUrl, type: type as never })).match,
    styles: (url) => styles(url, "page"),
    stylesFor: styles,
  };
}
