/** Interception rules that block requests. */

import { beginningOf } from "../../shared/beginning-of.ts";
import { pausedAs, type RequestDecision, type RequestRule, type ResourceType } from "../loading/interception.ts";
import { filterList, type ListedRequest, type ListName, urlLengthMax } from "./lists.ts";
import { readPattern } from "./patterns.ts";

const abort = (by: string): RequestDecision => ({ abort: true, by });

/** Maximum number of frames whose URLs are kept. A page can add and remove frames for as long as it is open. */
const documentsMax = 1_000;

/** @param page URL of the target; later URLs of the main frame are taken from its requests. */
export function listRule(names: ListName[], page: string): RequestRule {
  /** URL of each frame's document, by frame id, the latest last: only the beginnings, which are all that the lists read. */
  const documents = new Map<string, string>();
  let main = page;
  const keep = (frameId: string, url: string) => {
    documents.delete(frameId);
    documents.set(frameId, beginningOf(url, urlLengthMax));
    const [oldest] = documents.keys();
    if (documents.size > documentsMax && oldest !== undefined) documents.delete(oldest);
  };
  return {
    pattern: {},
    decide: async ({ url, type, frameId, isMainDocument }) => {
      if (isMainDocument) {
        main = beginningOf(url, urlLengthMax);
        return undefined;
      }
      const isFrame = type === "document";
      const sourceUrl = isFrame ? main : (documents.get(frameId) ?? main);
      if (isFrame) keep(frameId, url);
      const list = await listThatBlocks(names, { url, sourceUrl, type: isFrame ? "sub_frame" : type });
      return list && abort(`block_${list}`);
    },
  };
}

/** The first list that blocks the request. Missing lists are skipped. */
export async function listThatBlocks(names: ListName[], request: ListedRequest): Promise<ListName | undefined> {
  const lists = await Promise.all(names.map(filterList));
  return names.find((_name, index) => lists[index]?.blocks(request));
}

export function patternRules(patterns: string[]): RequestRule[] {
  return patterns.map((text) => {
    const { urlPattern, matches } = readPattern(text);
    return {
      pattern: { urlPattern },
      decide: ({ url, isMainDocument }) => (!isMainDocument && matches(url) ? abort(`block_requests=${text}`) : undefined),
    };
  });
}

export function resourceRules(types: ResourceType[]): RequestRule[] {
  const wanted = new Set<ResourceType>(types);
  if (wanted.has("xhr") || wanted.has("fetch")) wanted.add("xhr").add("fetch"); // interception doesn't distinguish between the two
  const decide: RequestRule["decide"] = ({ type, isMainDocument }) =>
    !isMainDocument && wanted.has(type) ? abort(`block_resources=${type}`) : undefined;
  const paused = new Set([...wanted].flatMap(pausedAs));
  return [...paused].map((resourceType) => ({ pattern: { resourceType }, decide }));
}
