/** Attaches to the targets within a page: its workers, and frames that have their own process. */

import type { ProtocolSession } from "./protocol.ts";

/** A worker, a frame in another process, or the page itself. Its commands have no timeout. */
export type Target = Pick<ProtocolSession, "send" | "on">;

/** @param type Chromium's target type: `iframe`, `worker`, `shared_worker`, … */
export type PrepareChild = (child: Target, type: string) => Promise<unknown>;

/** Attaches to a page's children on the first call of either function. */
export function createChildren(session: ProtocolSession): { prepare(each: PrepareChild): Promise<void>; frames(): Promise<Target[]> } {
  const frames = new Map<string, Target>();
  const prepares: PrepareChild[] = [];
  let attached: Promise<void> | undefined;
  const attachTo = async (parent: ProtocolSession) => {
    const attaching: Promise<void>[] = [];
    parent.on("Target.detachedFromTarget", ({ sessionId }) => void frames.delete(sessionId));
    parent.on("Target.attachedToTarget", ({ sessionId, targetInfo: { type } }) => {
      const child = parent.child(sessionId);
      if (!child) return;
      if (type === "iframe") frames.set(sessionId, child);
      // Commands are processed in order, so the child's own children can't be missed.
      const ready = attachTo(child);
      attaching.push(ready);
      const prepared = [ready, ...prepares.map((prepare) => prepare(child, type))];
      for (const one of prepared) one.catch(() => {}); // the child has ended
      // A service worker responds only once it runs.
      Promise.allSettled(type === "service_worker" ? [] : prepared)
        .then(() => child.send("Runtime.runIfWaitingForDebugger"))
        .catch(() => {}); // the child has ended
    });
    await parent.send("Target.setAutoAttach", { autoAttach: true, waitForDebuggerOnStart: true, flatten: true });
    await Promise.allSettled(attaching);
  };
  const attach = () => {
    attached ??= attachTo(session);
    return attached;
  };
  return {
    prepare: (each) => {
      prepares.push(each);
      return attach();
    },
    frames: async () => {
      await attach();
      return [...frames.values()];
    },
  };
}
