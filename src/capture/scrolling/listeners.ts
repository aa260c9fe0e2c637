/** Detects scroll, wheel and resize listeners. */

import type { Tab } from "../../browser/tab.ts";

/**
 * Whether the window, the document, its root or its body has a scroll listener.
 * @param orExpanded whether to include listeners on the element expanded by `expandMainScroller`.
 */
export async function listensToScroll(tab: Tab, orExpanded: boolean): Promise<boolean> {
  const found = await Promise.all([
    hasListener(tab, scrolls, "window", 1),
    hasListener(tab, scrolls, "document", 3),
    orExpanded && hasListener(tab, scrolls, "document.querySelector('[data-expanded]')", 1),
  ]);
  return found.includes(true);
}

/** Whether the window or one of the outermost elements has a wheel listener, as is usual on pages whose scripts scroll the content. */
export async function listensToWheel(tab: Tab): Promise<boolean> {
  const found = await Promise.all([hasListener(tab, wheels, "window", 1), hasListener(tab, wheels, "document", 5)]);
  return found.includes(true);
}

export async function listensToResize(tab: Tab): Promise<boolean> {
  return await hasListener(tab, ["resize"], "window", 1);
}

const scrolls = ["scroll", "scrollend"];
const wheels = ["wheel", "mousewheel"];

/**
 * Calls the console utility `getEventListeners` in the page, because transferring all listeners, possibly millions, would occupy this
 * process for seconds. A page that defines a function with this name harms only itself: what the function throws isn't serialized.
 * @param expression yields the target; evaluated in the page's main world, where its listeners are.
 * @param depth number of levels to include: 1 for the target itself, 2 with its children, and so on.
 */
async function hasListener(tab: Tab, events: string[], expression: string, depth: number): Promise<boolean> {
  const isOne = events.map((event) => `type === "${event}"`).join(" || ");
  const source = `(function has(target, levels) {
    if (!target) return false;
    for (const type in getEventListeners(target)) if (${isOne}) return true;
    if (levels === 1) return false;
    for (let child = target.firstElementChild; child; child = child.nextElementSibling) if (has(child, levels - 1)) return true;
    return false;
  })(${expression}, ${depth})`;
  const { result } = await tab.send("Runtime.evaluate", { expression: source, includeCommandLineAPI: true });
  return result.value === true;
}
