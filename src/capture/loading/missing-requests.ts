/** Lists requests that have no response yet, and waits for them. A page can make tens of thousands of them, with long URLs. */

import type { Protocol } from "devtools-protocol";
import type { Tab } from "../../browser/tab.ts";
import { inlineCharacters } from "../in-page/inline-data.ts";
import { arrival } from "../in-page/settle.ts";
import { thirdPartyTimeoutMs } from "./pending-fetches.ts";

export interface Missing {
  url: string;
  inFrame: boolean;
}

const shown = new Set(["Image", "Font", "Stylesheet", "Script"]);

/** Maximum number of characters of `data:` URLs that the list of resources may repeat: it is parsed in one turn of the event loop. */
const inlineMax = 8_000_000;

/**
 * Lists requests without a response: Chromium reports them without a MIME type. Script fetches aren't included. Empty for pages with many
 * megabytes of `data:` URLs.
 */
export async function onTheirWay(tab: Tab): Promise<Missing[]> {
  if ((await tab.evaluate(inlineCharacters)) > inlineMax) return [];
  const listed = ({ resources, childFrames = [] }: Protocol.Page.FrameResourceTree, inFrame: boolean): Missing[] => {
    const here = resources.filter(({ url, type, mimeType, failed, canceled }) => {
      return mimeType === "" && !failed && !canceled && shown.has(type) && /^https?:/.test(url);
    });
    return [...here.map(({ url }) => ({ url, inFrame })), ...childFrames.flatMap((child) => listed(child, true))];
  };
  const tree = await resourceTree(tab);
  return tree ? listed(tree, false) : [];
}

/** The page's frames with their resources; undefined if more frames are nested, one within another, than Chromium can describe. */
export async function resourceTree(tab: Tab): Promise<Protocol.Page.FrameResourceTree | undefined> {
  try {
    return (await tab.send("Page.getResourceTree")).frameTree;
  } catch (error) {
    if (error instanceof Error && /stack limit exceeded/.test(error.message)) return undefined;
    throw error;
  }
}

interface Arriving {
  /** Whether a URL belongs to a different site than the page. */
  isForeign: (url: string) => boolean;
  signal: AbortSignal;
}

/** Maximum wait for a first-party request; longer than for third-party ones, because it is more likely to fetch page content. */
const ownPatienceMs = 3_000;
const framesPatienceMs = 1_500;
const checkEveryMs = 25;
/** Minimum pause between two checks, as a multiple of the time that a check takes, so that checks of many requests leave time for others. */
const pausePerCheck = 4;

/** Waits until each request has a response or its wait has timed out. */
export async function untilArrived(tab: Tab, missing: Missing[], { isForeign, signal }: Arriving): Promise<void> {
  const own = missing
    .filter(({ inFrame }) => !inFrame)
    .map(({ url }): [string, number] => [url, isForeign(url) ? thirdPartyTimeoutMs : ownPatienceMs]);
  const inFrames = new Set(missing.filter(({ inFrame }) => inFrame).map(({ url }) => url));
  /** Polls, because the main frame's performance timeline doesn't contain requests made by frames. */
  const responded = async () => {
    let pauseMs = checkEveryMs;
    for (const end = performance.now() + framesPatienceMs; performance.now() < end && !signal.aborted; ) {
      await tab.pause(Math.min(pauseMs, end - performance.now()));
      const start = performance.now();
      const left = await onTheirWay(tab);
      if (!left.some(({ url, inFrame }) => inFrame && inFrames.has(url))) return;
      pauseMs = Math.max(checkEveryMs, pausePerCheck * (performance.now() - start));
    }
  };
  await Promise.all([own.length > 0 && tab.waitFor(arrival, own), inFrames.size > 0 && responded()]);
}
