/** Finds a page's documents and workers, including those of cross-origin frames, and installs a clock in each before its first script. */

import type { Target } from "../browser/children.ts";
import type { Tab } from "../browser/tab.ts";
import { type Advanced, advancedFrom, createClockScript } from "./clock-script.ts";
import { createPageTraffic } from "./loading/traffic.ts";

export type Progress = Omit<Advanced, "workers">;

export interface Realms {
  /**
   * Advances time in each realm, one after another. Resolves with when something is next due in any realm, whether anything ran, and
   * whether the time limit was reached. A worker that takes more than half of the time left until `until` (a `performance.now()` time) is
   * left behind: its time stops. A document's script that hasn't returned `responseMs` after `until` is terminated.
   */
  advance(from: number, to: number, until: number): Promise<Progress>;
  /** Makes `Date` return the instant at which page time began. */
  holdDate(): Promise<void>;
  /** Number of requests, documents and workers so far. */
  activity(): number;
  /** Resolves when no request is pending and all workers have started, or after `ms`. */
  settled(ms: number): Promise<void>;
}

/** A document or worker. */
interface Realm {
  target: Target;
  isWorker: boolean;
  contextId: number;
  /** Number of workers that the realm has constructed, except those whose scripts could not be loaded. */
  workers: number;
}

/** Maximum time for which a request holds up page time. */
const requestPatienceMs = 5_000;
/** Maximum time to wait for workers to start, which takes seconds on a busy machine. */
const workerTimeoutMs = 5_000;
/** Interval between checks for workers whose scripts could not be loaded. */
const lookEveryMs = 250;
/** Time limit for a document's response to a short call. */
const responseMs = 500;

/** Call before the navigation. @param epoch Unix time in milliseconds at which page time begins. */
export async function followRealms(tab: Tab, epoch: number): Promise<Realms> {
  const realms = new Set<Realm>();
  const traffic = createPageTraffic(requestPatienceMs);
  const script = createClockScript(epoch);
  const workers = createWorkerCount(tab, realms, script.startedWorkers);
  let seen = 0;

  const prepare = async (target: Target, isWorker: boolean) => {
    if (isWorker) workers.attach();
    follow(
      { target, isWorker },
      (realm) => {
        seen += 1;
        realms.add(realm);
      },
      (realm) => realms.delete(realm),
    );
    const installed = isWorker ? [target.send("Runtime.evaluate", { expression: script.source })] : holdDocuments(target, script.source);
    await Promise.all([traffic.follow(target), target.send("Runtime.enable"), ...installed]);
    workers.changed();
  };
  await Promise.all([prepare(tab, false), tab.attachChildren((child, { type }) => prepare(child, type !== "iframe"))]);

  return {
    advance: async (from, to, until) => {
      const results: Progress[] = [];
      for (const realm of [...realms]) {
        const left = until - performance.now();
        if (left <= 0) break;
        const realMs = realm.isWorker ? left / 2 : left;
        const advanced = await advance(tab, realm, script.advance(from, to, realMs), realMs + (realm.isWorker ? 0 : responseMs));
        if (advanced) {
          results.push(advanced);
          workers.count(realm, advanced.workers);
        }
        if (!advanced || (advanced.isLate && realm.isWorker)) realms.delete(realm);
      }
      return combined(results);
    },
    holdDate: async () => {
      const held = [...realms].map((realm) => evaluate(realm, script.holdDate).catch(() => {}));
      await tab.within(responseMs, Promise.all(held));
    },
    activity: () => traffic.startedCount() + seen,
    settled: async (ms) => {
      const settled = Promise.all([traffic.none(), workers.started()]);
      await tab.within(ms, settled);
    },
  };
}

/** Counts constructed and started workers. @param expression JavaScript that evaluates to a realm's number of workers. */
function createWorkerCount(tab: Tab, realms: Set<Realm>, expression: string) {
  let [constructed, attached, missing] = [0, 0, 0];
  let next = Promise.withResolvers<void>();
  const count = (realm: Realm, workers: number) => {
    constructed += workers - realm.workers;
    realm.workers = workers;
  };
  /** Forgets workers whose scripts could not be loaded. */
  const recount = async () => {
    const counted = [...realms].map(async (realm) => {
      const workers = await evaluate(realm, expression).catch(() => undefined);
      if (typeof workers === "number") count(realm, Math.min(realm.workers, workers));
    });
    await tab.within(responseMs, Promise.all(counted));
  };
  return {
    count,
    attach: () => {
      attached += 1;
    },
    /** Call once an attached worker has been prepared. */
    changed: () => next.resolve(),
    /** Resolves when all workers have started, or after the time limit. */
    started: async () => {
      const end = performance.now() + workerTimeoutMs;
      while (attached + missing < constructed) {
        next = Promise.withResolvers();
        if (await tab.within(lookEveryMs, next.promise)) continue;
        if (performance.now() < end) await recount();
        else missing = constructed - attached; // these will probably never start
      }
    },
  };
}

function combined(results: Progress[]): Progress {
  const due = results.map(({ next }) => next).filter((at) => at !== null);
  return {
    next: due.length > 0 ? Math.min(...due) : null,
    ran: results.some(({ ran }) => ran),
    isLate: results.some(({ isLate }) => isLate),
  };
}

/** Runs the script in each document before the document's own scripts, and stops the document's animations. */
function holdDocuments(target: Target, source: string): Promise<unknown>[] {
  return [
    target.send("Page.enable"),
    target.send("Page.addScriptToEvaluateOnNewDocument", { source, runImmediately: true }),
    target.send("Animation.enable"),
    target.send("Animation.setPlaybackRate", { playbackRate: 0 }),
  ];
}

/** Calls `onBegin` and `onEnd` for each document of a target, or for the target itself if it is a worker. */
function follow(of: Pick<Realm, "target" | "isWorker">, onBegin: (realm: Realm) => void, onEnd: (realm: Realm) => void): void {
  const realms = new Map<number, Realm>();
  const end = (id: number) => {
    const realm = realms.get(id);
    if (realm) onEnd(realm);
    realms.delete(id);
  };
  const { target } = of;
  target.on("Runtime.executionContextCreated", ({ context: { id, auxData } }) => {
    if (auxData?.isDefault === false) return; // an isolated world
    const realm = { ...of, contextId: id, workers: 0 };
    realms.set(id, realm);
    onBegin(realm);
  });
  target.on("Runtime.executionContextDestroyed", ({ executionContextId }) => end(executionContextId));
  target.on("Runtime.executionContextsCleared", () => [...realms.keys()].forEach(end));
}

/** Returns undefined if the realm has no clock or ends. @param realMs time limit. */
async function advance(tab: Tab, realm: Realm, expression: string, realMs: number): Promise<Advanced | undefined> {
  const result = evaluate(realm, expression).catch(() => undefined);
  const response = await tab.resultWithin(
    realMs,
    result.then((value) => ({ value })),
  );
  if (response) return advancedFrom(response.value);
  if (!realm.isWorker) await endScript(tab, realm);
  return { next: null, ran: true, isLate: true, workers: realm.workers };
}

/** Terminates a script that doesn't return; otherwise its document couldn't be captured. */
async function endScript(tab: Tab, realm: Realm): Promise<void> {
  // If the script has just returned, this terminates the dummy second command instead of one that matters.
  const ended = [realm.target.send("Runtime.terminateExecution"), evaluate(realm, "0")];
  await tab.within(responseMs, Promise.allSettled(ended));
}

/** Resolves with a primitive; an object would have to be serialized, and the page could make it as large as it likes. */
async function evaluate({ target, contextId }: Realm, expression: string): Promise<unknown> {
  const parameters = { expression, contextId, awaitPromise: true };
  const { result, exceptionDetails } = await target.send("Runtime.evaluate", parameters);
  if (exceptionDetails) throw new Error(exceptionDetails.text);
  return result.value;
}
