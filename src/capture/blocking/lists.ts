/** The compiled filter lists, each loaded when a capture first asks for it. */

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
const loaded = new Map<ListName, Promise<FilterList>>();

/** `undefined` where the lists have not been compiled, or for another version of the engine. */
export async function filterList(name: ListName): Promise<FilterList | undefined> {
  const loading = loaded.get(name) ?? load(name);
  loaded.set(name, loading);
  try {
    return await loading;
  } catch {
    loaded.delete(name); // they may come while the service runs
    return undefined;
  }
}

async function load(name: ListName): Promise<FilterList> {
  const [{ FiltersEngine, Request }, bytes] = await Promise.all([
    import("@ghostery/adblocker"),
    readFile(new URL(`${name}.engine`, folder)),
  ]);
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

const files = new Map<string, Promise<string | undefined>>();

/** A text that lies beside the compiled lists; `undefined` where they are missing. */
export async function compiledFile(name: string): Promise<string | undefined> {
  const reading = files.get(name) ?? readFile(new URL(name, folder), "utf8").catch(() => undefined);
  files.set(name, reading);
  const text = await reading;
  if (text === undefined) files.delete(name);
  return text;
}
