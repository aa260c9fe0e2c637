/** A CDP session as a capture uses it: every call ends with its response, its timeout, the capture's signal, or the loss of the page. */

import type { Protocol } from "devtools-protocol";
import { onAbort, withDeadline } from "../shared/deadline.ts";
import type { createChildren, PrepareChild, Target } from "./children.ts";
import { BrowserLost, isBrowserLost, PageCrashed, throwHung } from "./chromium-errors.ts";
import { createScriptRunner } from "./own-world.ts";
import type { Commands, Events, Payload, ProtocolSession } from "./protocol.ts";

/** A connection that the egress filter refused. */
export interface Refusal {
  host: string;
  port: number;
  reason: string;
  /** If set, the caller gets the error code for a nonexistent name. */
  asUnresolved?: true;
}

/** The browser's identity as pages and servers see it. */
export type Agent = Protocol.Emulation.SetUserAgentOverrideRequest;

export interface Tab {
  readonly frameId: string;
  /** The browser's default identity, which options may override. */
  readonly agent: Agent;
  /**
   * Sends one CDP command. `timeoutMs` defaults to 10 s; pass infinity for commands that wait for the network or the page.
   * @throws {PageCrashed} if the renderer crashes, which Chromium does not report for pending commands.
   * @throws {BrowserLost} if the browser is gone; {BrowserHung} on timeout; the signal's reason if it aborts.
   */
  send<M extends keyof Commands>(method: M, params?: Commands[M]["paramsType"][0], timeoutMs?: number): Promise<Commands[M]["returnType"]>;
  /**
   * Sends `Page.captureScreenshot`, one at a time; resolves with the encoded image. A clip may be outside the viewport: the page isn't laid
   * out again and can't detect it, because Chromium draws the whole document (`mainFrameClipsContent` in `flags.ts`) and only moves the
   * clip to the top left corner.
   */
  captureScreenshot(params: Protocol.Page.CaptureScreenshotRequest, timeoutMs?: number): Promise<Buffer>;
  on<E extends keyof Events>(event: E, listener: (payload: Payload<E>) => void): void;
  /** Listens to the browser's events until the capture ends. The only `Target` events are about dedicated workers, on any page. */
  onBrowserEvent: ProtocolSession["on"];
  /** Resolves with the first event that passes `test`. Call this before the command that causes the event. */
  once<E extends keyof Events>(event: E, test?: (payload: Payload<E>) => boolean): Promise<Payload<E>>;
  /**
   * Runs `script` in the main frame, in an isolated world. Arguments and result are serialized as JSON; promises are awaited. The script is
   * restarted once if the document is replaced. For scripts that finish quickly: the timeout is 10 s.
   */
  evaluate<A extends unknown[], R>(script: (...args: A) => R, ...args: A): Promise<Awaited<R>>;
  /** Like `evaluate`, but takes the source of a function, with its libraries bundled. */
  evaluateSource(source: string, ...args: unknown[]): Promise<unknown>;
  evaluateBoth<One, Other>(one: () => One, other: () => Other): Promise<[Awaited<One>, Awaited<Other>]>;
  /** Like `evaluate`, for scripts that wait for something in the page: no timeout, and restarted in each new document. */
  waitFor<A extends unknown[], R>(script: (...args: A) => R, ...args: A): Promise<Awaited<R>>;
  /** Creates the isolated world in a new document, so that the first script need not wait for it. */
  prepareWorld(): void;
  /**
   * Attaches to the page's workers and out-of-process frames, and to their children. Each child, except a service worker, runs scripts only
   * once the promise returned by `prepare` has settled. Children that are already attached are also prepared. Call this before the
   * navigation.
   * @param onlyWorkers attaches to dedicated workers only, unless another call attaches to all children.
   */
  attachChildren(prepare: PrepareChild, onlyWorkers?: boolean): Promise<void>;
  /** The page's out-of-process frames, including nested ones. */
  childFrames(): Promise<Target[]>;
  /** This capture's refused connections so far. */
  refusals(): readonly Refusal[];
  /** Whether the browser has opened any connection during this capture. */
  hasConnected(): boolean;
  /** Replaces this tab and its context with a blank tab in a fresh context. */
  replace(): Promise<Tab>;
  /** Runs `use` with another blank tab in the same browser, in its own context, which is then destroyed. */
  beside<T>(use: (tab: Tab) => Promise<T>): Promise<T>;
  /** Fails the page's pending requests and all later ones. */
  closeConnections(): void;
  /** Whether `work` resolves within `ms`; rejects if `work` rejects or the capture ends. */
  within(ms: number, work: Promise<unknown>): Promise<boolean>;
  /** Resolves after `ms`; rejects when the capture ends. */
  pause(ms: number): Promise<void>;
  /** The result of `work`, or undefined if it takes longer than `ms`; rejects like `within`. */
  resultWithin<T>(ms: number, work: Promise<T>): Promise<T | undefined>;
}

interface TabOptions extends Pick<Tab, "frameId" | "refusals" | "hasConnected" | "closeConnections" | "replace" | "beside"> {
  agent?: Agent;
  /** If omitted, the tab doesn't receive browser events. */
  browser?: ProtocolSession;
  /** Aborts when the capture must end, for example at its deadline; pending calls reject with its reason. */
  signal: AbortSignal;
}

/** Chromium responds within milliseconds unless something has hung; on a busy machine, or with a large image, it can take seconds. */
const callTimeoutMs = 10_000;

export function createTab(session: ProtocolSession, { frameId, agent = { userAgent: "" }, browser, signal, ...rest }: TabOptions): Tab {
  const untilEnd = endOf(session, signal);
  const responseTo = <T>(method: string, response: Promise<T>, timeoutMs: number): Promise<T> =>
    withDeadline(untilEnd(response), timeoutMs, () => throwHung(method, timeoutMs)).catch((error) => {
      throw isBrowserLost(error) ? new BrowserLost(`${method} received no response`, { cause: error }) : error;
    });
  const send: Tab["send"] = (method, params, timeoutMs = callTimeoutMs) => responseTo(method, session.send(method, params), timeoutMs);
  // Chromium resizes the window for an image and then restores it. If two images were taken concurrently, one would repeat its first rows.
  let lastImage: Promise<unknown> = Promise.resolve();
  session.on("Page.frameNavigated", ({ frame }) => {
    if (frame.id === frameId) lastImage = Promise.resolve(); // the previous document is gone, so its image may never arrive
  });
  const scripts = createScriptRunner(session, frameId, send);
  let children: Promise<ReturnType<typeof createChildren>> | undefined;
  const childrenOf = () => {
    children ??= import("./children.ts").then((loaded) => loaded.createChildren(session)); // most captures don't need them
    return children;
  };

  return {
    frameId,
    agent,
    send,
    captureScreenshot: async (params, timeoutMs = callTimeoutMs) => {
      const image = lastImage.then(() => session.captureScreenshot({ ...params, optimizeForSpeed: true }));
      lastImage = image.catch(() => {});
      return await responseTo("Page.captureScreenshot", image, timeoutMs);
    },
    on: session.on,
    onBrowserEvent: (event, listener) => {
      browser?.on(event, listener);
      onAbort(signal, () => browser?.off(event, listener));
    },
    once: (event, test = () => true) => {
      const { promise, resolve } = Promise.withResolvers<Payload<typeof event>>();
      const listener = (payload: Payload<typeof event>) => {
        if (test(payload)) resolve(payload);
      };
      session.on(event, listener);
      return untilEnd(promise).finally(() => session.off(event, listener));
    },
    evaluate: async (script, ...args) => (await scripts.run(script, args, callTimeoutMs, 2)) as never,
    evaluateSource: (source, ...args) => scripts.run(source, args, callTimeoutMs, 2),
    evaluateBoth: async (one, other) => (await scripts.run(`() => [(${one})(), (${other})()]`, [], callTimeoutMs, 2)) as never,
    waitFor: async (script, ...args) => (await scripts.run(script, args, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY)) as never,
    prepareWorld: scripts.prepare,
    attachChildren: (prepare, onlyWorkers) => untilEnd(childrenOf().then((all) => all.prepare(prepare, onlyWorkers))),
    childFrames: () => untilEnd(childrenOf().then((all) => all.frames())),
    ...rest,
    within: async (ms, work) => {
      const done = work.then(() => true);
      return await withDeadline(untilEnd(done), ms, () => false);
    },
    pause: (ms) => withDeadline(untilEnd(new Promise<void>(() => {})), ms, () => {}),
    resultWithin: async (ms, work) => await withDeadline(untilEnd(work), ms, () => undefined),
  };
}

/** Returns a function whose promise settles like its argument, but rejects if the capture is aborted or the page is lost. */
function endOf(session: ProtocolSession, signal: AbortSignal): <T>(work: Promise<T>) => Promise<T> {
  const end = Promise.withResolvers<never>();
  end.promise.catch(() => {}); // avoids an unhandled rejection if no call is pending
  session.on("Inspector.targetCrashed", () => end.reject(new PageCrashed("The page's renderer crashed")));
  session.on("Inspector.detached", ({ reason }) => end.reject(new BrowserLost(`The tab's session was detached: ${reason}`)));
  onAbort(signal, () => end.reject(signal.reason));
  return (work) => Promise.race([work, end.promise]);
}
