/** Calls, answers and events of Chromium's protocol, for the browser and for each of its targets. */

import type { Readable, Writable } from "node:stream";
import type { ProtocolMapping } from "devtools-protocol/types/protocol-mapping.js";
import { createEventBudget } from "./event-budget.ts";
import { openPipe } from "./pipe.ts";

export type Commands = ProtocolMapping.Commands;
export type Events = ProtocolMapping.Events;
export type Payload<E extends keyof Events> = Events[E] extends [infer P] ? P : undefined;
// biome-ignore lint/suspicious/noExplicitAny: the events' payloads are as many as their names
type Listener = (payload: any) => void;

/** A conversation with the browser itself or with one of its targets. */
export interface Session {
  /** @throws {Error} with Chromium's words, or `Target closed` when the session ends before the answer. Has no time limit. */
  send<M extends keyof Commands>(method: M, params?: Commands[M]["paramsType"][0]): Promise<Commands[M]["returnType"]>;
  on<E extends keyof Events>(event: E, listener: (payload: Payload<E>) => void): void;
  off<E extends keyof Events>(event: E, listener: (payload: Payload<E>) => void): void;
}

export interface Connection {
  readonly browser: Session;
  /** A session on a target; it ends with its target. @throws {Error} when there is no such target. */
  attach(targetId: string): Promise<Session>;
  /** False once either side has closed the pipe. */
  isOpen(): boolean;
  /** Counts events from zero again; when they are too many, `onExceeded` is called and the pipe is closed. */
  limitEvents(onExceeded: () => void): void;
}

interface Message {
  id?: number;
  method?: string;
  sessionId?: string;
  params?: unknown;
  result?: unknown;
  error?: { message: string; data?: string };
}

interface Call {
  method: string;
  /** Undefined: the browser itself. */
  sessionId: string | undefined;
  resolve(result: unknown): void;
  reject(error: Error): void;
}

interface OpenSession {
  session: Session;
  hear(event: string, payload: unknown): void;
}

/** Both pipes are the caller's, who closes them by ending the browser. */
export function connect(toBrowser: Writable, fromBrowser: Readable): Connection {
  const calls = new Map<number, Call>();
  const sessions = new Map<string, OpenSession>();
  /** Events that nothing ever listened to need not be parsed. */
  const listenedTo = new Set<string>();
  let budget = createEventBudget();
  let onExceeded = () => {};
  let lastId = 0;
  let isOpen = true;

  const call = (method: string, params: unknown = {}, sessionId?: string) =>
    new Promise<unknown>((resolve, reject) => {
      if (!isOpen || (sessionId !== undefined && !sessions.has(sessionId))) {
        reject(targetClosed(method));
        return;
      }
      lastId += 1;
      calls.set(lastId, { method, sessionId, resolve, reject });
      pipe.send(JSON.stringify({ id: lastId, method, params, sessionId }));
    });

  const giveUp = (isLost: (call: Call) => boolean) => {
    for (const [id, lost] of calls) {
      if (!isLost(lost)) continue;
      calls.delete(id);
      lost.reject(targetClosed(lost.method));
    }
  };

  const browser = createSession(listenedTo, (method, params) => call(method, params));
  browser.session.on("Target.attachedToTarget", ({ sessionId }) => {
    sessions.set(
      sessionId,
      createSession(listenedTo, (method, params) => call(method, params, sessionId)),
    );
  });
  browser.session.on("Target.detachedFromTarget", ({ sessionId }) => {
    sessions.delete(sessionId);
    giveUp((lost) => lost.sessionId === sessionId);
  });

  const receive = ({ id, method, sessionId, params, result, error }: Message) => {
    if (id === undefined) {
      const hearer = sessionId === undefined ? browser : sessions.get(sessionId);
      if (method !== undefined) hearer?.hear(method, params);
      return;
    }
    const answered = calls.get(id);
    calls.delete(id);
    if (error) answered?.reject(new Error(`${answered.method}: ${error.message}${error.data ? ` ${error.data}` : ""}`));
    else answered?.resolve(result);
  };
  const pipe = openPipe(toBrowser, fromBrowser, {
    onEventRead: (byteLength) => {
      if (budget.spend(byteLength)) return;
      onExceeded();
      pipe.close();
    },
    onMessage: (message, event) => {
      if (event === undefined || listenedTo.has(event)) receive(JSON.parse(message.toString()));
    },
    onClose: () => {
      isOpen = false;
      giveUp(() => true);
    },
  });

  return {
    browser: browser.session,
    attach: async (targetId) => {
      const { sessionId } = await browser.session.send("Target.attachToTarget", { targetId, flatten: true });
      const attached = sessions.get(sessionId);
      if (!attached) throw targetClosed("Target.attachToTarget");
      return attached.session;
    },
    isOpen: () => isOpen,
    limitEvents: (listener) => {
      budget = createEventBudget();
      onExceeded = listener;
    },
  };
}

/** `chrome-words.ts` knows these words: the browser or its tab is gone. */
function targetClosed(method: string): Error {
  return new Error(`${method}: Target closed`);
}

// biome-ignore lint/suspicious/noExplicitAny: so are the answers
function createSession(listenedTo: Set<string>, call: (method: string, params: unknown) => Promise<any>): OpenSession {
  const listeners = new Map<string, Listener[]>();
  const session: Session = {
    send: (method, params) => call(method, params),
    // Lists are replaced, never changed: a listener may add or remove others while it is called.
    on: (event, listener) => {
      listenedTo.add(event);
      listeners.set(event, [...(listeners.get(event) ?? []), listener]);
    },
    off: (event, listener) =>
      void listeners.set(
        event,
        (listeners.get(event) ?? []).filter((other) => other !== listener),
      ),
  };
  return {
    session,
    hear: (event, payload) => {
      for (const listener of listeners.get(event) ?? []) listener(payload);
    },
  };
}
