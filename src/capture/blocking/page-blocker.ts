/** Applies the filter lists to pages driven by an external client. */

import type { Tab } from "../../browser/tab.ts";
import { withDeadline } from "../../shared/deadline.ts";
import { AppError } from "../../shared/errors.ts";
import { interceptRequests } from "../loading/interception.ts";
import { followLifecycle } from "../loading/main-frame.ts";
import { clear } from "./clear.ts";
import { filterList, listNames } from "./lists.ts";
import { listRule } from "./requests.ts";

/** Maximum delay of a screenshot. After that, the page is captured in its current state. */
const clearingMaxMs = 3_000;

/**
 * Blocks requests before they are sent. Hides elements (and, with `cookie_banners`, rejects cookies) when a document has been parsed, when
 * it has loaded, and before each screenshot to catch elements added since.
 * @param wanted list names; unknown names are ignored.
 * @throws {AppError} `unavailable` if one of these lists is not installed.
 */
export async function createPageBlocker(wanted: readonly string[]) {
  const lists = listNames.filter((name) => wanted.includes(name));
  for (const name of lists) {
    if (await filterList(name)) continue;
    throw new AppError("unavailable", { message: `block_${name} is not available: its filter list is not installed.` });
  }
  const unwanted = { lists, patterns: [], selectors: [] };
  const pages = new Map<string, () => Promise<void>>();

  const onPage = async (tab: Tab) => {
    const lifecycle = followLifecycle(tab);
    let clearing = Promise.resolve();
    let next: Promise<void> | undefined;
    const clearNext = () => {
      // The current run may miss elements that were just added. One more run is enough for all waiting callers.
      next ??= clearing.then(() => {
        next = undefined;
        clearing = clear(tab, lifecycle, unwanted).catch(() => void pages.delete(tab.frameId)); // the page was closed or has crashed
        return clearing;
      });
      return next;
    };
    // Already now: the client may learn of its page's load event before these sessions do.
    pages.set(tab.frameId, clearNext);
    tab.on("Page.lifecycleEvent", ({ frameId, name }) => {
      if (frameId !== tab.frameId || (name !== "DOMContentLoaded" && name !== "load")) return;
      pages.set(tab.frameId, clearNext);
      void clearNext();
    });
    await Promise.all([
      tab.send("Page.enable"),
      tab.send("Page.setLifecycleEventsEnabled", { enabled: true }),
      interceptRequests(tab, [listRule(lists, "about:blank")]),
    ]);
  };
  return {
    onPage,
    beforeImage: async (): Promise<void> => {
      const cleared = Promise.all([...pages.values()].map((clearNext) => clearNext()));
      await withDeadline(cleared, clearingMaxMs, () => []);
    },
  };
}
