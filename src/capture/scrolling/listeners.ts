/** Detects scroll, wheel and resize listeners. */

import type { Tab } from "../../browser/tab.ts";

/**
 * Whether the window, the document, its root or its body has a scroll listener, which scrolling the window can trigger.
 * @param orExpanded also counts listeners on the element expanded by `expandMainScroller`.
 */
export async function listensToScroll(tab: Tab, orExpanded: boolean): Promise<boolean> {
  const found = await Promise.all([
    hasListener(tab, /^scroll(end)?$/, "window", 1),
    hasListener(tab, /^scroll(end)?$/, "document", 3),
    orExpanded && hasListener(tab, /^scroll(end)?$/, "document.querySelector('[data-expanded]')", 1),
  ]);
  return found.includes(true);
}

/** Whether the window or one of the outermost elements has a wheel listener, as is usual for scripts that move the content themselves. */
export async function listensToWheel(tab: Tab): Promise<boolean> {
  const found = await Promise.all([hasListener(tab, /wheel$/, "window", 1), hasListener(tab, /wheel$/, "document", 5)]);
  return found.includes(true);
}

export async function listensToResize(tab: Tab): Promise<boolean> {
  return await hasListener(tab, /^resize$/, "window", 1);
}

/**
 * @param expression evaluated in the page's main world, since its listeners count; pages can't redefine the names used in it.
 * @param depth number of levels of the document to include: itself, its root, its body.
 */
async function hasListener(tab: Tab, event: RegExp, expression: string, depth: number): Promise<boolean> {
  const { result } = await tab.send("Runtime.evaluate", { expression });
  if (!result.objectId) return false;
  const { listeners } = await tab.send("DOMDebugger.getEventListeners", { objectId: result.objectId, depth });
  return listeners.some(({ type }) => event.test(type));
}
