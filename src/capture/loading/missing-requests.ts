/** Waits for requests that have no response yet. */

import type { Tab } from "../../browser/tab.ts";
import { arrival } from "../in-page/settle.ts";
import { thirdPartyTimeoutMs } from "./pending-fetches.ts";

export interface Missing {
  url: string;
  inFrame: boolean;
}

interface Arriving {
  /** Whether a URL belongs to a different site than the page. */
  isForeign: (url: string) => boolean;
  /** Lists all of the page's requests that have no response yet. */
  list: () => Promise<Missing[]>;
  signal: AbortSignal;
}

/** Maximum wait for a first-party request; longer than for third-party ones, because it is more likely to fetch page content. */
const ownPatienceMs = 3_000;
const framesPatienceMs = 1_500;
const checkEveryMs = 25;

/** Waits until each request has a response or its wait has timed out. */
export async function untilArrived(tab: Tab, missing: Missing[], { isForeign, list, signal }: Arriving): Promise<void> {
  const own = missing
    .filter(({ inFrame }) => !inFrame)
    .map(({ url }): [string, number] => [url, isForeign(url) ? thirdPartyTimeoutMs : ownPatienceMs]);
  const inFrames = missing.filter(({ inFrame }) => inFrame).map(({ url }) => url);
  /** Polls, because the main frame's performance timeline doesn't contain requests made by frames. */
  const responded = async () => {
    for (const end = performance.now() + framesPatienceMs; performance.now() < end && !signal.aborted; ) {
      await tab.pause(checkEveryMs);
      const left = await list();
      if (!left.some(({ url }) => inFrames.includes(url))) return;
    }
  };
  await Promise.all([own.length > 0 && tab.waitFor(arrival, own), inFrames.length > 0 && responded()]);
}
