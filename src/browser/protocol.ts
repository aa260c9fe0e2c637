/** Chrome DevTools Protocol: Puppeteer's connection, over a pipe that limits the load from a page's events. */

import type { Readable, Writable } from "node:stream";
import type { ProtocolMapping } from "devtools-protocol/types/protocol-mapping.js";
import type { CDPSession, Connection as CdpConnection, ConnectionTransport, Protocol } from "puppeteer-core";
import { decodeBase64 } from "../shared/turns.ts";
import { contained, type Listener } from "./contained-listener.ts";
import { createGuest, createOwnSessions, type Guest, type GuestListener } from "./guest.ts";
import { imageStart, openPipe } from "./pipe.ts";

export type Commands = ProtocolMapping.Commands;
export type Events = ProtocolMapping.Events;
export type Payload<E extends keyof Events> = Events[E] extends [infer P] ? P : undefined;

/** A session with the browser itself or with one of its targets. */
export interface ProtocolSession {
  /** @throws {Error} with Chromium's message; `isBrowserLost` matches it if the session ended before the response. No timeout. */
  send<M extends keyof Commands>(method: M, params?: Commands[M]["paramsType"][0]): Promise<Commands[M]["returnType"]>;
  /** Sends `Page.captureScreenshot`; resolves with the encoded image. */
  captureScreenshot(params: Protocol.Page.CaptureScreenshotRequest): Promise<Buffer>;
  on<E extends keyof Events>(event: E, listener: (payload: Payload<E>) => void): void;
  off<E extends keyof Events>(event: E, listener: (payload: Payload<E>) => void): void;
  /** A session announced by `Target.attachedToTarget`; undefined once it has ended. */
  child(sessionId: string): ProtocolSession | undefined;
}

export interface Connection {
  readonly browser: ProtocolSession;
  /** Opens a session with a target; the session ends when the target does. @throws {Error} if there is no such target. */
  attach(targetId: string): Promise<ProtocolSession>;
  /** False once either side has closed the pipe. */
  isOpen(): boolean;
  /** Resets the event count. If a limit is exceeded, calls `onExceeded` and closes the pipe. */
  limitEvents(onExceeded: () => void): void;
  /**
   * Calls `onPage` for each new page, which doesn't load anything until the returned promise settles. Call this once, before `admitGuest`.
   * The guest doesn't see events from the sessions opened here.
   */
  followPages(onPage: (page: ProtocolSession, targetId: string) => Promise<unknown>): Promise<void>;
  /**
   * Lends the browser to a client that sends its own commands. Call this once. From then on, the client receives every event that doesn't
   * belong to one of this process's own sessions, and events are limited only per second.
   */
  admitGuest(listener: GuestListener): Guest;
}

/**
 * Connects to a browser. The caller owns both pipes and closes them by terminating the browser. Has no timeout.
 * @throws {Error} if the pipe closes first.
 */
export async function connect(toBrowser: Writable, fromBrowser: Readable): Promise<Connection> {
  const { transport, isOpen, limitEvents, listenTo, admitGuest, keepSession, latestImage } = createTransport(toBrowser, fromBrowser);
  const { connect: connectPuppeteer } = await import("puppeteer-core"); // loads while the browser is starting
  if (!isOpen()) throw new Error("Connection closed"); // Puppeteer would not notice
  // Puppeteer's pages and targets are unused, so the filter keeps it from attaching to any.
  const puppeteer = await connectPuppeteer({ transport, defaultViewport: null, protocolTimeout: 0, targetFilter: () => false });
  const connection = (await puppeteer.target().createCDPSession()).connection();
  if (!connection) throw new Error("Connection closed");
  await Promise.all([
    connection.send("Target.setAutoAttach", { autoAttach: false, waitForDebuggerOnStart: false, flatten: true }),
    connection.send("Target.setDiscoverTargets", { discover: false }),
  ]);

  const sessionOn = (carrier: CdpConnection | CDPSession): ProtocolSession => ({
    send: (method, params) => carrier.send(method, params),
    captureScreenshot: async (params) => {
      const { data } = await carrier.send("Page.captureScreenshot", params);
      return await decodeBase64(latestImage(data) ?? [Buffer.from(data, "latin1")]);
    },
    on: (event, listener) => {
      listenTo(event);
      carrier.on(event, contained(listener as Listener));
    },
    off: (event, listener) => void carrier.off(event, contained(listener as Listener)),
    child: (sessionId) => {
      const child = connection.session(sessionId);
      return child ? sessionOn(child) : undefined;
    },
  });
  // From here on, events without a listener are dropped; Puppeteer needed some of them for the handshake.
  listenTo("Target.attachedToTarget");
  listenTo("Target.detachedFromTarget");
  return {
    browser: sessionOn(connection),
    attach: async (targetId) => sessionOn(await connection.createSession({ targetId } as Protocol.Target.TargetInfo)), // only the id is read
    isOpen,
    limitEvents,
    admitGuest,
    followPages: async (onPage) => {
      const session = await puppeteer.target().createCDPSession(); // a second session with the browser
      keepSession(session.id());
      const follower = sessionOn(session);
      follower.on("Target.attachedToTarget", ({ sessionId: id, targetInfo }) => {
        const page = follower.child(id);
        if (!page) return;
        Promise.resolve(onPage(page, targetInfo.targetId))
          .catch(() => {}) // the page has ended
          .then(() => page.send("Runtime.runIfWaitingForDebugger"))
          .catch(() => {});
      });
      const filter = [{ type: "page" }];
      await follower.send("Target.setAutoAttach", { autoAttach: true, waitForDebuggerOnStart: true, flatten: true, filter });
    },
  };
}

/** Drops events without a listener before they are parsed, and closes the pipe if events exceed the budget. */
function createTransport(toBrowser: Writable, fromBrowser: Readable) {
  /** If empty, every event is delivered. */
  const listenedTo = new Set<string>();
  let budget = createEventBudget();
  let onExceeded = (_limit: string) => {};
  let isOpen = true;
  let guest: ReturnType<typeof createGuest> | undefined;
  let ownSessions: ReturnType<typeof createOwnSessions> | undefined;
  let image: ReturnType<typeof imageIn>;
  const pipe = openPipe(toBrowser, fromBrowser, {
    onEventRead: (byteLength) => {
      if (budget.spend(byteLength)) return;
      onExceeded(Number.isFinite(byteLength) ? "events" : "the size of a message");
      pipe.close();
    },
    onMessage: (message, event, rest) => {
      if (!(event && ownSessions?.has(message, event)) && guest?.takes(message, event, rest)) return;
      if (event !== undefined && listenedTo.size > 0 && !listenedTo.has(event)) return;
      image = event === undefined ? imageIn(message, rest) : undefined;
      transport.onmessage?.(image?.response ?? (rest.length === 0 ? message : Buffer.concat([message, ...rest])).toString());
    },
    onBacklog: (isBehind) => guest?.backlog(isBehind),
    onClose: () => {
      isOpen = false;
      transport.onclose?.();
      guest?.end();
    },
  });
  const transport: ConnectionTransport = { send: pipe.send, close: pipe.close };
  return {
    transport,
    /** Withholds the session's events from the guest. */
    keepSession: (sessionId: string) => {
      ownSessions ??= createOwnSessions();
      ownSessions.add(sessionId);
    },
    /** The image extracted from the latest response, as Base64. Call this as soon as the response has arrived. */
    latestImage: (data: string) => (image?.data === data ? image.parts : undefined),
    isOpen: () => isOpen,
    listenTo: (event: string) => void listenedTo.add(event),
    limitEvents: (listener: () => void) => {
      budget = createEventBudget();
      onExceeded = listener;
    },
    admitGuest: (listener: GuestListener) => {
      budget = createEventBudget(undefined, unlimited);
      pipe.limitResponses(guestResponseMax);
      onExceeded = listener.onFlood;
      guest = createGuest(pipe, listener);
      return guest;
    },
  };
}

/** Maximum length of the JSON that follows the image in a response; it contains a 32-character session id. */
const tailBytesMax = 100;

/**
 * Extracts the image from a response: converting the response to text and parsing it would take longer (0.1 s for 64 MB) than decoding the
 * image. Images are recognized by the first bytes of PNG, JPEG and WebP.
 * @param rest the remaining parts of a response that hasn't been joined.
 * @returns the image's parts as Base64, and the response with `data` in the image's place. Undefined if there is no image.
 */
function imageIn(first: Buffer, rest: Buffer[]): { parts: Buffer[]; data: string; response: string } | undefined {
  const [head, data] = imageStart.exec(first.toString("latin1", 0, tailBytesMax)) ?? [];
  if (!head || !data) return undefined;
  const all = [first.subarray(head.length), ...rest];
  const [one = first, ...another] = all.splice(-2);
  const last = another.length === 0 ? one : Buffer.concat([one, ...another]); // the last part may hold only some of the tail
  const end = last.indexOf('"', Math.max(0, last.length - tailBytesMax));
  return { parts: [...all, last.subarray(0, end)], data, response: `${head}${data}${last.toString("latin1", end)}` };
}

export interface EventBudget {
  /** Counts one event of `bytes`; false if there are too many, per second or in total. */
  spend(bytes: number): boolean;
}

/**
 * A page with a thousand requests causes about 5,000 events of 1 to 2 kB each. An event takes about 20 µs in this process, which all
 * captures share.
 */
const secondMax = { events: 10_000, bytes: 32 * 1024 * 1024 };
const captureMax = { events: 20_000, bytes: 128 * 1024 * 1024 };

/**
 * Maximum size of a response to the client of a lent browser, in bytes: an image of 12 million pixels in Base64. A response is copied
 * twice, which takes a millisecond per megabyte, and waits in memory until the client has read it.
 */
const guestResponseMax = 64 * 1024 * 1024;

const unlimited = { events: Number.POSITIVE_INFINITY, bytes: Number.MAX_VALUE };

/** @param now in milliseconds, with any origin. @param totalMax overall limit; the limit per second is fixed. */
export function createEventBudget(now: () => number = () => performance.now(), totalMax = captureMax): EventBudget {
  const capture = { events: 0, bytes: 0 };
  let second = { since: now(), events: 0, bytes: 0 };
  return {
    spend: (bytes) => {
      if (now() - second.since >= 1_000) second = { since: now(), events: 0, bytes: 0 };
      for (const count of [capture, second]) {
        count.events += 1;
        count.bytes += bytes;
      }
      return isWithin(capture, totalMax) && isWithin(second, secondMax);
    },
  };
}

function isWithin(count: typeof captureMax, max: typeof captureMax): boolean {
  return count.events <= max.events && count.bytes <= max.bytes;
}
