/** Attaches to the targets within a page: its workers, and frames that have their own process. */

import type { ProtocolSession } from "./protocol.ts";

/** A worker, a frame in another process, or the page itself. Its commands have no timeout. */
export type Target = Pick<ProtocolSession, "send" | "on">;

interface ChildInfo {
  /** The target's id in Chromium. */
  id: string;
  /** Chromium's target type: `iframe`, `worker`, `shared_worker`, … */
  type: string;
  /**
   * Whether the target runs no scripts until it has been prepared (a service worker is released without waiting); false if it was already
   * running.
   */
  isWaiting: boolean;
}

export type PrepareChild = (child: Target, info: ChildInfo) => Promise<unknown>;

interface Child extends ChildInfo {
  target: Target;
}

const dedicatedWorkers = [{ type: "worker" }];

interface Children {
  /** @param onlyWorkers attaches to dedicated workers only, unless another call attaches to all children. */
  prepare(each: PrepareChild, onlyWorkers?: boolean): Promise<void>;
  frames(): Promise<Target[]>;
}

/** Attaches to a page's children when `prepare` or `frames` is first called. */
export function createChildren(session: ProtocolSession): Children {
  const children = new Map<string, Child>();
  const prepares: PrepareChild[] = [];
  let attached: Promise<void> | undefined;
  let attachingToPage: Promise<void>[] | undefined;
  let isForAll = false;
  const listen = (parent: ProtocolSession): Promise<void>[] => {
    const attaching: Promise<void>[] = [];
    parent.on("Target.detachedFromTarget", ({ sessionId }) => void children.delete(sessionId));
    parent.on("Target.attachedToTarget", ({ sessionId, targetInfo: { type, targetId: id }, waitingForDebugger: isWaiting }) => {
      const target = parent.child(sessionId);
      if (!target) return;
      const info = { id, type, isWaiting };
      children.set(sessionId, { ...info, target });
      // Commands are processed in order, so a worker's own children can't be missed.
      const ready = attachTo(target, listen(target));
      attaching.push(ready);
      const prepared = [ready, ...prepares.map((prepare) => prepare(target, info))];
      for (const one of prepared) one.catch(() => {}); // the child has ended
      // A service worker responds only once it is running.
      Promise.allSettled(type === "service_worker" ? [] : prepared)
        .then(() => target.send("Runtime.runIfWaitingForDebugger"))
        .catch(() => {}); // the child has ended
    });
    return attaching;
  };
  const attachTo = async (parent: ProtocolSession, attaching: Promise<void>[]) => {
    const filter = isForAll ? {} : { filter: dedicatedWorkers };
    await parent.send("Target.setAutoAttach", { autoAttach: true, waitForDebuggerOnStart: true, flatten: true, ...filter });
    await Promise.allSettled(attaching);
  };
  const attach = (onlyWorkers = false) => {
    attachingToPage ??= listen(session);
    if (!attached || (!onlyWorkers && !isForAll)) {
      isForAll = !onlyWorkers;
      attached = attachTo(session, attachingToPage);
    }
    return attached;
  };
  return {
    prepare: (each, onlyWorkers) => {
      prepares.push(each);
      for (const { target, ...info } of children.values()) each(target, { ...info, isWaiting: false }).catch(() => {}); // it has ended
      return attach(onlyWorkers);
    },
    frames: async () => {
      await attach();
      return [...children.values()].filter(({ type }) => type === "iframe").map(({ target }) => target);
    },
  };
}
