/** Follows what the main frame's document has reached, also when the page replaces it by another. */

import type { Tab } from "../browser/tab.ts";

type Milestone = "DOMContentLoaded" | "load" | "networkAlmostIdle" | "networkIdle";

export interface Lifecycle {
  /** Says which document the navigation made. */
  begin(loaderId: string): void;
  /** Resolves when the current document has reached `milestone`; a document that replaces it starts anew. */
  reached(milestone: Milestone): Promise<void>;
  /** Resolves when the next document replaces the current one. */
  replaced(): Promise<void>;
}

/** Start before the navigation. */
export function followLifecycle(tab: Tab): Lifecycle {
  const seen = new Map<string, Set<string>>();
  let current: string | undefined;
  let next = Promise.withResolvers<void>();
  let waiting: { milestone: string; resolve: () => void }[] = [];
  const settle = () => {
    const reached = seen.get(current ?? "");
    waiting = waiting.filter(({ milestone, resolve }) => {
      if (!reached?.has(milestone)) return true;
      resolve();
      return false;
    });
  };
  tab.on("Page.lifecycleEvent", ({ frameId, loaderId, name }) => {
    if (frameId !== tab.frameId) return;
    if (name === "init") {
      current = loaderId;
      seen.clear(); // a page that reloads itself for ever must not fill the memory
      seen.set(loaderId, new Set());
      next.resolve();
      next = Promise.withResolvers();
    }
    seen.get(loaderId)?.add(name);
    settle();
  });
  return {
    begin: (loaderId) => {
      current ??= loaderId; // whatever began since is this document, or one that replaced it already
      settle();
    },
    reached: (milestone) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      waiting.push({ milestone, resolve });
      settle();
      return promise;
    },
    replaced: () => next.promise,
  };
}
