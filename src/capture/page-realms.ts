/** Finds the documents and workers of a page, frames of other origins included, and gives each a clock before its first script. */

import type { Tab, Target } from "../browser/tab.ts";
import { createClockScript } from "./clock-script.ts";
import type { Advanced } from "./in-page/page-clock.ts";
import { type Traffic, watchTraffic } from "./traffic.ts";

export interface Realms {
  /** Lets time pass in each, one after the other. Resolves with when something is due next in any of them. */
  advance(from: number, to: number): Promise<Advanced>;
  /** Makes `Date` read the instant at which page time began. */
  holdDate(): Promise<void>;
  /** Number of requests, documents and workers so far. */
  activity(): number;
  /** Resolves when no request is pending, and all workers have started. */
  settled(): Promise<void>;
}

/** A document or worker. */
interface Realm {
  target: Target;
  contextId: number;
  /** Number of workers that it has started. */
  workers: number;
}

/** Requests that take longer don't hold page time up. */
const requestPatienceMs = 5_000;
/** For a worker to start, from its construction on. */
const workerTimeoutMs = 1_000;
/** A document or worker whose step takes longer is left behind: its time stands still. */
const stepTimeoutMs = 5_000;

/** Call before the navigation. @param epoch milliseconds since 1970 at which page time begins. */
export async function followRealms(tab: Tab, epoch: number): Promise<Realms> {
  const realms = new Set<Realm>();
  const traffics: Traffic[] = [];
  const script = createClockScript(epoch);
  const attached = { workers: 0, missing: 0, changed: Promise.withResolvers<void>() };
  let constructed = 0;
  let seen = 0;

  const prepare = async (target: Target, isWorker: boolean) => {
    if (isWorker) attached.workers += 1;
    follow(
      target,
      (realm) => {
        seen += 1;
        realms.add(realm);
      },
      (realm) => realms.delete(realm),
    );
    const watching = watchTraffic(target, requestPatienceMs).then((traffic) => traffics.push(traffic));
    const installed = isWorker ? [target.send("Runtime.evaluate", { expression: script.source })] : holdDocuments(target, script.source);
    await Promise.all([watching, target.send("Runtime.enable"), ...installed]);
    attached.changed.resolve();
  };
  const workersStarted = async () => {
    for (const end = performance.now() + workerTimeoutMs; attached.workers + attached.missing < constructed; ) {
      attached.changed = Promise.withResolvers();
      if (await tab.within(end - performance.now(), attached.changed.promise)) continue;
      attached.missing = constructed - attached.workers; // their scripts can't be loaded
    }
  };
  await Promise.all([prepare(tab, false), tab.attachChildren((child, type) => prepare(child, type !== "iframe"))]);

  return {
    advance: async (from, to) => {
      const results: Advanced[] = [];
      for (const realm of [...realms]) {
        const advanced = await tab.resultWithin(stepTimeoutMs, advance(realm, script.advance(from, to)));
        if (advanced) {
          results.push(advanced);
          constructed += advanced.workers - realm.workers;
          realm.workers = advanced.workers;
        } else realms.delete(realm);
      }
      const due = results.map(({ next }) => next).filter((at) => at !== null);
      return { next: due.length > 0 ? Math.min(...due) : null, ran: results.some(({ ran }) => ran), workers: constructed };
    },
    holdDate: async () => {
      for (const realm of realms)
        await tab.within(
          stepTimeoutMs,
          evaluate(realm, script.holdDate).catch(() => {}),
        );
    },
    activity: () => traffics.reduce((sum, traffic) => sum + traffic.begun(), seen),
    settled: async () => {
      await Promise.all([...traffics.map((traffic) => traffic.none()), workersStarted()]);
    },
  };
}

/** Documents get the script before their own; their animations stand still. */
function holdDocuments(target: Target, source: string): Promise<unknown>[] {
  return [
    target.send("Page.enable"),
    target.send("Page.addScriptToEvaluateOnNewDocument", { source, runImmediately: true }),
    target.send("Animation.enable"),
    target.send("Animation.setPlaybackRate", { playbackRate: 0 }),
  ];
}

/** Reports a target's documents, or the worker that it is. */
function follow(target: Target, onBegin: (realm: Realm) => void, onEnd: (realm: Realm) => void): void {
  const realms = new Map<number, Realm>();
  const end = (id: number) => {
    const realm = realms.get(id);
    if (realm) onEnd(realm);
    realms.delete(id);
  };
  target.on("Runtime.executionContextCreated", ({ context: { id, auxData } }) => {
    if (auxData?.isDefault === false) return; // an isolated world
    const realm = { target, contextId: id, workers: 0 };
    realms.set(id, realm);
    onBegin(realm);
  });
  target.on("Runtime.executionContextDestroyed", ({ executionContextId }) => end(executionContextId));
  target.on("Runtime.executionContextsCleared", () => [...realms.keys()].forEach(end));
}

/** Undefined if it has no clock, or ends meanwhile. */
async function advance(realm: Realm, expression: string): Promise<Advanced | undefined> {
  return (await evaluate(realm, expression).catch(() => undefined)) as Advanced | undefined;
}

async function evaluate({ target, contextId }: Realm, expression: string): Promise<unknown> {
  const parameters = { expression, contextId, awaitPromise: true, returnByValue: true };
  const { result, exceptionDetails } = await target.send("Runtime.evaluate", parameters);
  if (exceptionDetails) throw new Error(exceptionDetails.text);
  return result.value;
}
