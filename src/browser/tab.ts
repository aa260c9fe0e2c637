/** A thin face on one CDP session: every call ends with its answer, the capture's signal, or the loss of the page. */

import type { Protocol } from "devtools-protocol";
import { withDeadline } from "../deadline.ts";
import { BrowserLost, meansBrowserLost, meansDocumentReplaced, PageCrashed, throwHung } from "./chromium-errors.ts";
import type { Commands, Events, Payload, Session } from "./protocol.ts";

/** A connection of the page that the egress filter refused. */
export interface Refusal {
  host: string;
  port: number;
  reason: string;
  /** The caller gets the answer for a name that does not exist. */
  asUnresolved?: true;
}

/** Name of the JavaScript world in which our scripts run, out of reach of the page's. */
export const ownWorld = "tintype";

/** What pages and servers are told of the browser. */
export type Agent = Protocol.Emulation.SetUserAgentOverrideRequest;

export interface Tab {
  readonly frameId: string;
  /** As it is told unless something else is sent. */
  readonly agent: Agent;
  /**
   * Sends one CDP command. `timeoutMs` is its own, 10 s unless given; what waits for the network or the page is given none.
   * @throws {PageCrashed} when the renderer dies, which Chromium never says of a pending call itself.
   * @throws {BrowserLost} when the browser is gone, {BrowserHung} when the time is over. @throws the signal's reason when it aborts.
   */
  send<M extends keyof Commands>(method: M, params?: Commands[M]["paramsType"][0], timeoutMs?: number): Promise<Commands[M]["returnType"]>;
  /** `Page.captureScreenshot`; the picture's bytes. */
  shoot(params: Protocol.Page.CaptureScreenshotRequest, timeoutMs?: number): Promise<Buffer>;
  on<E extends keyof Events>(event: E, listener: (payload: Payload<E>) => void): void;
  /** The first such event that passes `test`. Ask before the command that causes it. */
  once<E extends keyof Events>(event: E, test?: (payload: Payload<E>) => boolean): Promise<Payload<E>>;
  /**
   * Runs `script` in the main frame, in a world that the page's own scripts can't reach; its arguments and result travel as JSON,
   * a promise is awaited. Started again once when the document is replaced meanwhile. For what a page answers at once.
   */
  evaluate<A extends unknown[], R>(script: (...args: A) => R, ...args: A): Promise<Awaited<R>>;
  /** The same for scripts that wait for something in the page, as long as the capture may, and anew in each document that comes. */
  waitFor<A extends unknown[], R>(script: (...args: A) => R, ...args: A): Promise<Awaited<R>>;
  /** Makes the world of our scripts ready in a document that has just come, for the first of them. */
  prepareWorld(): void;
  /** Connections of this capture refused so far. */
  refusals(): readonly Refusal[];
  /** Whether the browser has gone out for anything in this capture. */
  hasConnected(): boolean;
  /** Whether `moment` came within `ms`; rejects as `moment` does, and when the capture ends. */
  within(ms: number, moment: Promise<unknown>): Promise<boolean>;
  /** The result of `work`, undefined when it takes longer than `ms`; rejects as `within` does. */
  resultWithin<T>(ms: number, work: Promise<T>): Promise<T | undefined>;
}

interface Capture {
  frameId: string;
  /** For tabs that are asked for it. */
  agent?: Agent;
  /** Deadline, client gone or shutdown; its reason is what pending calls reject with. */
  signal: AbortSignal;
  refusals: () => readonly Refusal[];
  hasConnected: () => boolean;
}

export function createTab(session: Session, { frameId, agent = { userAgent: "" }, signal, refusals, hasConnected }: Capture): Tab {
  const over = Promise.withResolvers<never>();
  over.promise.catch(() => {}); // nobody may be waiting when it ends
  session.on("Inspector.targetCrashed", () => over.reject(new PageCrashed("The page's renderer crashed")));
  session.on("Inspector.detached", ({ reason }) => over.reject(new BrowserLost(`The tab was detached: ${reason}`)));
  if (signal.aborted) over.reject(signal.reason);
  signal.addEventListener("abort", () => over.reject(signal.reason), { once: true });

  let world: Promise<number> | undefined;
  let isEntered = false;
  session.on("Page.frameNavigated", ({ frame }) => {
    if (frame.id === frameId && isEntered) world = undefined; // one that is being made is the new document's
  });

  const bounded = <T>(work: Promise<T>) => Promise.race([work, over.promise]);

  const send: Tab["send"] = async (method, params, timeoutMs = callTimeoutMs) => {
    try {
      return await bounded(withDeadline(session.send(method, params), timeoutMs, () => throwHung(method, timeoutMs)));
    } catch (error) {
      if (meansBrowserLost(error)) throw new BrowserLost(`${method} had no answer`, { cause: error });
      throw error;
    }
  };

  const once = <E extends keyof Events>(event: E, test: (payload: Payload<E>) => boolean = () => true): Promise<Payload<E>> => {
    const { promise, resolve } = Promise.withResolvers<Payload<E>>();
    const listener = (payload: Payload<E>) => {
      if (test(payload)) resolve(payload);
    };
    session.on(event, listener);
    return bounded(promise).finally(() => session.off(event, listener));
  };

  const enter = () => {
    if (world) return world;
    isEntered = false;
    world = send("Page.createIsolatedWorld", { frameId, worldName: ownWorld }).then(
      ({ executionContextId }) => {
        isEntered = true;
        return executionContextId;
      },
      (error) => {
        world = undefined;
        throw error;
      },
    );
    return world;
  };

  const run = async (source: string, args: unknown[], timeoutMs: number): Promise<Protocol.Runtime.CallFunctionOnResponse> => {
    return await send(
      "Runtime.callFunctionOn",
      {
        executionContextId: await enter(),
        functionDeclaration: source,
        arguments: args.map((value) => ({ value })),
        returnByValue: true,
        awaitPromise: true,
      },
      timeoutMs,
    );
  };

  /** `attempts`: in how many documents the script is started, one replacing the other under it. */
  const evaluate = async (script: (...args: never[]) => unknown, args: unknown[], timeoutMs: number, attempts: number) => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        const answer = await run(script.toString(), args, timeoutMs);
        if (answer.exceptionDetails) throw new ScriptFailed(answer.exceptionDetails.exception?.description ?? answer.exceptionDetails.text);
        return answer.result.value;
      } catch (error) {
        if (!meansDocumentReplaced(error) || attempt === attempts) throw error;
        world = undefined;
      }
    }
  };

  return {
    frameId,
    agent,
    send,
    shoot: async (params, timeoutMs) => {
      const { data } = await send("Page.captureScreenshot", params, timeoutMs);
      return Buffer.from(data, "base64");
    },
    on: session.on,
    once,
    evaluate: (script, ...args) => evaluate(script, args, callTimeoutMs, 2),
    waitFor: (script, ...args) => evaluate(script, args, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY),
    prepareWorld: () => void enter().catch(() => {}), // whoever needs it asks again
    refusals,
    hasConnected,
    within: async (ms, moment) =>
      await bounded(
        withDeadline(
          moment.then(() => true),
          ms,
          () => false,
        ),
      ),
    resultWithin: async (ms, work) => await bounded(withDeadline(work, ms, () => undefined)),
  };
}

/** Chromium answers within milliseconds where nothing hangs; a loaded machine and a large picture make it seconds. */
const callTimeoutMs = 10_000;

/** A script of ours threw in the page; `message` is the exception as Chromium describes it. */
export class ScriptFailed extends Error {
  override readonly name = "ScriptFailed";
}
