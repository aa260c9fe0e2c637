/** Finds out whether a page listens to its own scrolling. */

import type { Tab } from "../browser/tab.ts";

const targets = ["window", "document", "document.documentElement", "document.body"];

/** Whether the window, the document, its root or its body has a listener for scroll events. Scrolling by script causes no others. */
export async function listensToScroll(tab: Tab): Promise<boolean> {
  const found = await Promise.all(targets.map((expression) => hasScrollListener(tab, expression)));
  return found.includes(true);
}

/** `expression` is evaluated among the page's own scripts, whose listeners are meant; these names can't be redefined there. */
async function hasScrollListener(tab: Tab, expression: string): Promise<boolean> {
  const { result } = await tab.send("Runtime.evaluate", { expression });
  if (!result.objectId) return false;
  const { listeners } = await tab.send("DOMDebugger.getEventListeners", { objectId: result.objectId });
  return listeners.some(({ type }) => type === "scroll" || type === "scrollend");
}
