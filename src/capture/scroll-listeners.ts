/** Detects scroll listeners. */

import type { Tab } from "../browser/tab.ts";

const targets = ["window", "document", "document.documentElement", "document.body"];

/** Whether the window, the document, its root or its body has a scroll listener: those that scrolling the window can trigger. */
export async function listensToScroll(tab: Tab): Promise<boolean> {
  const found = await Promise.all(targets.map((expression) => hasScrollListener(tab, expression)));
  return found.includes(true);
}

/** @param expression evaluated in the page's main world, whose listeners count; pages can't redefine these names. */
async function hasScrollListener(tab: Tab, expression: string): Promise<boolean> {
  const { result } = await tab.send("Runtime.evaluate", { expression });
  if (!result.objectId) return false;
  const { listeners } = await tab.send("DOMDebugger.getEventListeners", { objectId: result.objectId });
  return listeners.some(({ type }) => type === "scroll" || type === "scrollend");
}
