/** Blank tabs, each in a fresh browser context. */

import { withDeadline } from "../shared/deadline.ts";
import type { Chromium } from "./chromium.ts";
import { documentStart } from "./document-start.ts";
import type { ProtocolSession } from "./protocol.ts";
import { ownWorld } from "./tab.ts";

/**
 * Time to destroy a context. Chromium takes 50 ms, or 2 s after a flood of events. It takes longer on an overloaded machine, where a new
 * browser takes 7 s.
 */
export const disposeTimeoutMs = 5_000;

export interface PreparedTab {
  session: ProtocolSession;
  browserContextId: string;
  frameId: string;
}

/** A blank tab in a fresh context, with every setting that doesn't depend on capture options. */
export async function prepareTab(chromium: Chromium): Promise<PreparedTab> {
  const { session: browser } = chromium;
  const { browserContextId } = await browser.send("Target.createBrowserContext", { disposeOnDetach: true });
  const [tab] = await Promise.all([
    openTab(chromium, browserContextId),
    browser.send("Browser.setDownloadBehavior", { behavior: "deny", browserContextId }),
  ]);
  return tab;
}

async function openTab(chromium: Chromium, browserContextId: string): Promise<PreparedTab> {
  const { targetId } = await chromium.session.send("Target.createTarget", { url: "about:blank", browserContextId });
  const session = await chromium.attach(targetId);
  const source = chromium.webgl ? documentStart.withWebgl : documentStart.withoutWebgl;
  // A dialog blocks the page until it is answered. `beforeunload` asks whether to leave the page, so it is accepted.
  const answer = (accept: boolean) => session.send("Page.handleJavaScriptDialog", { accept }).catch(() => {});
  session.on("Page.javascriptDialogOpening", ({ type }) => void answer(type === "beforeunload"));
  await Promise.all([
    session.send("Page.enable"),
    session.send("Page.setPrerenderingAllowed", { isAllowed: false }),
    session.send("Emulation.setFocusEmulationEnabled", { enabled: true }), // otherwise only one of several tabs has focus
    session.send("Emulation.setUserAgentOverride", chromium.agent),
    session.send("Page.addScriptToEvaluateOnNewDocument", { source, worldName: ownWorld }),
  ]);
  return { session, browserContextId, frameId: targetId }; // a page's main frame has the same id as its target
}

/** Lends a tab in a context that exists only until `use` has ended. */
export async function withTemporary<T>(chromium: Chromium, use: (tab: PreparedTab) => Promise<T>): Promise<T> {
  const temporary = await prepareTab(chromium);
  try {
    return await use(temporary);
  } finally {
    const disposed = chromium.session.send("Target.disposeBrowserContext", { browserContextId: temporary.browserContextId });
    await withDeadline(disposed, disposeTimeoutMs, () => {}).catch(() => {}); // the browser is lost, or hangs and will be replaced
  }
}
