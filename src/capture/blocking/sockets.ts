/** Blocks WebSockets, which can't be intercepted. */

import type { Tab } from "../../browser/tab.ts";
import { replaceWebSocket } from "../in-page/sockets.ts";

/** Call before the navigation. Applies to pages and frames, not to workers. */
export async function refuseSockets(tab: Tab): Promise<void> {
  await tab.send("Page.addScriptToEvaluateOnNewDocument", { source: `(${replaceWebSocket})()` });
}
