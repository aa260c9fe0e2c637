/** Follows a page's dedicated workers: attaches to each, and determines whether its script is still loading. */

import type { Target } from "../../browser/children.ts";
import type { Tab } from "../../browser/tab.ts";
import { reportRequests } from "./traffic.ts";

export interface Workers {
  /** Call when a worker starts, before its script is requested. `parentId` is the id of the frame or worker that starts it. */
  start(id: string, parentId: string | undefined): void;
  end(id: string): void;
  /** Whether any worker's script has yet to be loaded and evaluated. */
  areLoading(): boolean;
  /** Whether any worker has ended. */
  haveEnded(): boolean;
  /** Waits briefly until the workers have handled the messages that they have already received. */
  untilHandled(): Promise<unknown> | undefined;
}

/** Maximum wait for a script to arrive: the worker's own or, if we attached to the worker too late, one that it may be importing. */
const scriptMs = 3_000;
/** Maximum wait for a worker's script to be evaluated, from the time at which it or the latest of its imports arrived. */
const evaluationMs = 1_000;
/** Maximum wait for a worker to handle its messages, which it may never do. */
const handlingMs = 200;

interface Worker {
  /** Set once attached. */
  target?: Target;
  /** Set once attached; ends the worker's requests. */
  end?: () => void;
  /** Latest time at which its script is considered loaded, as a `performance.now()` time. */
  loadedBy: number;
}

/**
 * @param listen listens to a worker's requests, and returns a function that ends the pending ones.
 * @param onLoaded called when a worker's script has been evaluated, or the worker has ended.
 */
export function followWorkers(tab: Tab, listen: (worker: Target) => () => void, onLoaded: () => void): Workers {
  /** Workers in the page's own process, and their own workers, by id. We don't attach to the workers of other frames. */
  const workers = new Map<string, Worker>();
  const loading = new Set<Worker>();
  let attaching: Promise<void> | undefined;
  let haveEnded = false;

  const settle = (worker: Worker) => {
    if (loading.delete(worker)) onLoaded();
  };
  const attach = () =>
    tab.attachChildren(async (target, { id, isWaiting }) => {
      const worker = workers.get(id);
      if (!worker) return;
      const expect = (ms: number) => {
        worker.loadedBy = performance.now() + ms;
      };
      worker.target = target;
      worker.end = listen(target);
      expect(isWaiting ? evaluationMs : scriptMs);
      target.on("Network.loadingFinished", () => expect(evaluationMs));
      target.on("Inspector.workerScriptLoaded", () => settle(worker));
      await reportRequests(target);
      // The event may have been missed. The worker responds after evaluating its script, unless the script is still arriving (unlikely).
      if (!isWaiting) void handled(target).then(() => settle(worker));
    }, true);

  return {
    start: (id, parentId) => {
      if (parentId !== tab.frameId && !workers.has(parentId ?? "")) return;
      const worker: Worker = { loadedBy: performance.now() + scriptMs };
      workers.set(id, worker);
      loading.add(worker);
      attaching ??= attach();
      attaching.catch(() => {}); // the capture has ended
    },
    end: (id) => {
      const worker = workers.get(id);
      if (!worker) return;
      haveEnded = true;
      workers.delete(id);
      worker.end?.();
      settle(worker);
    },
    areLoading: () => {
      const now = performance.now();
      for (const worker of loading) {
        if (now < worker.loadedBy) return true;
        loading.delete(worker);
      }
      return false;
    },
    haveEnded: () => haveEnded,
    untilHandled: () => {
      const targets = [...workers.values()].flatMap(({ target }) => target ?? []);
      return targets.length > 0 ? tab.within(handlingMs, Promise.all(targets.map(handled))) : undefined;
    },
  };
}

/** Resolves once the worker has handled everything that it was sent earlier, or has ended. */
function handled(worker: Target): Promise<unknown> {
  return worker.send("Runtime.evaluate", { expression: "0" }).catch(() => {});
}
