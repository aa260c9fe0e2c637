/** Deletes what the pages of a context have stored, but for the HTTP cache. */

import type { Protocol } from "devtools-protocol";
import type { Session } from "./protocol.ts";

/** @param closed the tab of the pages that are deleted, which is closed; @param next another one of the same context. */
export async function forgetPages(
  browser: Session,
  closed: { session: Session; frameId: string; browserContextId: string },
  next: { session: Session },
): Promise<void> {
  const { browserContextId, frameId: targetId } = closed;
  const { frameTree } = await closed.session.send("Page.getFrameTree");
  await browser.send("Target.closeTarget", { targetId });
  await Promise.all([
    browser.send("Browser.resetPermissions", { browserContextId }),
    next.session.send("Network.clearBrowserCookies"),
    ...originsOf(frameTree).map((origin) => next.session.send("Storage.clearDataForOrigin", { origin, storageTypes: "all" })),
  ]);
}

function originsOf({ frame, childFrames = [] }: Protocol.Page.FrameTree): string[] {
  return [...new Set([frame.securityOrigin, ...childFrames.flatMap(originsOf)])].filter((origin) => origin.startsWith("http"));
}
