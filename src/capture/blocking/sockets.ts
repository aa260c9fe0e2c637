/** Keeps pages from opening WebSockets, which interception never sees. */

import type { Tab } from "../../browser/tab.ts";
import { replaceWebSocket } from "../in-page/sockets.ts";

/** Call before the navigation. Pages and frames only: workers have a world of their own. */
export async function refuseSockets(tab: Tab): Promise<void> {
  await tab.send("Page.addScriptToEvaluateOnNewDocument", { source: `(${replaceWebSocket})()` });
}
