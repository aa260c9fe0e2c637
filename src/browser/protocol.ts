/** Speaks Chromium's protocol: JSON over a pair of pipes, each message ended by a zero byte. */

import type { Readable, Writable } from "node:stream";
import type { ProtocolMapping } from "devtools-protocol/types/protocol-mapping.js";

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
  /** Called with every event, whatever its name. */
  onEvery(listener: () => void): void;
}

export interface Connection {
  readonly browser: Session;
  /** A session on a target; it ends with its target. @throws {Error} when there is no such target. */
  attach(targetId: string): Promise<Session>;
  /** False from the moment on in which the browser has closed its end. */
  isOpen(): boolean;
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
  const write = gatherWrites(toBrowser);
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
      write(JSON.stringify({ id: lastId, method, params, sessionId }));
    });

  const giveUp = (isLost: (call: Call) => boolean) => {
    for (const [id, lost] of calls) {
      if (!isLost(lost)) continue;
      calls.delete(id);
      lost.reject(targetClosed(lost.method));
    }
  };

  const browser = createSession((method, params) => call(method, params));
  browser.session.on("Target.attachedToTarget", ({ sessionId }) => {
    sessions.set(
      sessionId,
      createSession((method, params) => call(method, params, sessionId)),
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
  splitMessages(fromBrowser, (text) => receive(JSON.parse(text)));
  fromBrowser.once("close", () => {
    isOpen = false;
    giveUp(() => true);
  });
  for (const pipe of [toBrowser, fromBrowser]) pipe.on("error", () => {}); // it closes then

  return {
    browser: browser.session,
    attach: async (targetId) => {
      const { sessionId } = await browser.session.send("Target.attachToTarget", { targetId, flatten: true });
      const attached = sessions.get(sessionId);
      if (!attached) throw targetClosed("Target.attachToTarget");
      return attached.session;
    },
    isOpen: () => isOpen,
  };
}

/** `chrome-words.ts` knows these words: the browser or its tab is gone. */
function targetClosed(method: string): Error {
  return new Error(`${method}: Target closed`);
}

// biome-ignore lint/suspicious/noExplicitAny: so are the answers
function createSession(call: (method: string, params: unknown) => Promise<any>): OpenSession {
  const listeners = new Map<string, Listener[]>();
  const everyListeners: (() => void)[] = [];
  const session: Session = {
    send: (method, params) => call(method, params),
    // Lists are replaced, never changed: a listener may add or remove others while it is called.
    on: (event, listener) => void listeners.set(event, [...(listeners.get(event) ?? []), listener]),
    off: (event, listener) =>
      void listeners.set(
        event,
        (listeners.get(event) ?? []).filter((other) => other !== listener),
      ),
    onEvery: (listener) => void everyListeners.push(listener),
  };
  return {
    session,
    hear: (event, payload) => {
      for (const listener of everyListeners) listener();
      for (const listener of listeners.get(event) ?? []) listener(payload);
    },
  };
}

/** What is sent in one turn of the event loop goes out in one write: each costs a call of the system and wakes Chromium. */
function gatherWrites(pipe: Writable): (message: string) => void {
  let gathered = "";
  return (message) => {
    if (gathered === "") {
      process.nextTick(() => {
        pipe.write(gathered);
        gathered = "";
      });
    }
    gathered += `${message}\0`;
  };
}

/** Each message has a turn of its own: who waits for one, and asks for an event then, must not miss it when it comes right behind. */
function splitMessages(pipe: Readable, take: (message: string) => void): void {
  let parts: Buffer[] = [];
  pipe.on("data", (chunk: Buffer) => {
    let start = 0;
    for (let end = chunk.indexOf(0); end !== -1; end = chunk.indexOf(0, start)) {
      const last = chunk.subarray(start, end);
      const message = parts.length === 0 ? last.toString() : Buffer.concat([...parts, last]).toString();
      parts = [];
      start = end + 1;
      setImmediate(take, message);
    }
    if (start < chunk.length) parts.push(chunk.subarray(start));
  });
}
