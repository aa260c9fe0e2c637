/** Finds a page's requests without a response, as listed by Chromium. */

import type { Protocol } from "devtools-protocol";
import type { Tab } from "../../browser/tab.ts";

export interface Missing {
  url: string;
  inFrame: boolean;
}

const shown = new Set(["Image", "Font", "Stylesheet", "Script"]);

/** Lists requests without a response: Chromium reports them without a MIME type. Script fetches aren't included. */
export async function onTheirWay(tab: Tab): Promise<Missing[]> {
  const listed = ({ resources, childFrames = [] }: Protocol.Page.FrameResourceTree, inFrame: boolean): Missing[] => {
    const here = resources.filter(({ url, type, mimeType, failed, canceled }) => {
      return mimeType === "" && !failed && !canceled && shown.has(type) && /^https?:/.test(url);
    });
    return [...here.map(({ url }) => ({ url, inFrame })), ...childFrames.flatMap((child) => listed(child, true))];
  };
  return listed((await tab.send("Page.getResourceTree")).frameTree, false);
}

const framesPatienceMs = 1_500;
const lookEveryMs = 25;

/** Waits for requests of frames by polling, because the main frame's performance timeline doesn't contain them. */
export async function respondedRequests(tab: Tab, urls: string[], over: AbortSignal): Promise<void> {
  for (const end = performance.now() + framesPatienceMs; performance.now() < end && !over.aborted; ) {
    await tab.pause(lookEveryMs);
    const missing = await onTheirWay(tab);
    if (!missing.some(({ url }) => urls.includes(url))) return;
  }
}
