/** Detects scroll listeners. */

import type { Tab } from "../browser/tab.ts";

/**
 * Whether the window, the document, its root or its body has a scroll listener: those that scrolling the window can trigger.
 * @param orExpanded also counts those of the element that `expandMainScroller` has expanded.
 */
export async function listensToScroll(tab: Tab, orExpanded: boolean): Promise<boolean> {
  const found = await Promise.all([
    hasScrollListener(tab, "window", 1),
    hasScrollListener(tab, "document", 3),
    orExpanded && hasScrollListener(tab, "document.querySelector('[data-expanded]')", 1),
  ]);
  return found.includes(true);
}

/**
 * @param expression evaluated in the page's main world, whose listeners count; pages can't redefine these names.
 * @param depth how many levels of the document to include: itself, its root, its body.
 */
async function hasScrollListener(tab: Tab, expression: string, depth: number): Promise<boolean> {
  const { result } = await tab.send("Runtime.evaluate", { expression });
  if (!result.objectId) return false;
  const { listeners } = await tab.send("DOMDebugger.getEventListeners", { objectId: result.objectId, depth });
  return listeners.some(({ type }) => type === "scroll" || type === "scrollend");
}
