/** Creates and destroys the browser context of one capture. */

import type { Chromium } from "./chromium.ts";
import { userAgentOverride } from "./client-hints.ts";
import type { Session } from "./protocol.ts";
import { type Agent, ownWorld } from "./tab.ts";

export interface PreparedTab {
  session: Session;
  browserContextId: string;
  frameId: string;
}

/** A blank tab in a fresh context, with every setting that no capture option changes. */
export async function prepareTab(chromium: Chromium): Promise<PreparedTab> {
  const { session: browser } = chromium;
  const { browserContextId } = await browser.send("Target.createBrowserContext", { disposeOnDetach: true });
  const [{ targetId }] = await Promise.all([
    browser.send("Target.createTarget", { url: "about:blank", browserContextId }),
    browser.send("Browser.setDownloadBehavior", { behavior: "deny", browserContextId }),
  ]);
  const session = await chromium.attach(targetId);
  // A dialog blocks the page until it is answered.
  session.on("Page.javascriptDialogOpening", () => void session.send("Page.handleJavaScriptDialog", { accept: false }).catch(() => {}));
  await Promise.all([
    session.send("Page.enable"),
    session.send("Page.setLifecycleEventsEnabled", { enabled: true }),
    session.send("Page.setPrerenderingAllowed", { isAllowed: false }),
    session.send("Emulation.setUserAgentOverride", agentOf(chromium)),
    ...(chromium.webgl ? [] : [session.send("Page.addScriptToEvaluateOnNewDocument", { source: webglWatch, worldName: ownWorld })]),
  ]);
  return { session, browserContextId, frameId: targetId }; // a page's main frame has its target's id
}

export async function disposeContext(chromium: Chromium, { browserContextId }: PreparedTab): Promise<void> {
  await chromium.session.send("Target.disposeBrowserContext", { browserContextId });
}

/** Without a language, headless Chromium sends no `Accept-Language`. */
export function agentOf({ userAgent, version }: Chromium): Agent {
  return { ...userAgentOverride(userAgent, version), acceptLanguage: "en-US,en" };
}

/** Runs in every document: records that WebGL was requested and refused, which can't be read later. `capture/navigate.ts` reads it. */
const webglWatch = 'addEventListener("webglcontextcreationerror", () => { globalThis.hadNoWebgl = true; }, true)';
