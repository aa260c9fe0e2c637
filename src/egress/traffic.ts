/** What one capture has open, has used up and was refused. */

import type { Socket } from "node:net";
import { breakOff } from "./break-off.ts";
import { type Connect, ConnectFailed, type ConnectFailure, dial } from "./dial.ts";
import { EgressRefused, type RefusalReason, type Vet, type Vetted } from "./vet.ts";

export interface EgressLimits {
  /** Bytes that one capture may move, both ways together. */
  bytesMax: number;
  /** Connections that one capture may have open to the outside, and the browser to its lane. */
  socketsMax: number;
  /** Longest time to connect, all addresses of a name together, the lookup not included. */
  connectTimeoutMs: number;
  /** A connection without traffic for this long is cut. */
  idleTimeoutMs: number;
  /** Connections of one capture that may fail. A page can cause thousands a second, and each takes this process about 0.3 ms. */
  refusalsMax: number;
  refusalsPerSecondMax: number;
}

/** A connection that a page wanted and did not get. `host` is as in a URL; empty when it was not said in a way that is understood. */
export interface Refusal {
  host: string;
  port: number;
  reason: RefusalReason | ConnectFailure | "byte_budget" | "socket_limit" | "invalid_request";
  /** Page and caller get the answer for a name that does not exist. */
  asUnresolved?: true;
}

export interface Traffic {
  /**
   * Vets and dials; the socket is cut when the capture ends. What fails is recorded. A name is looked up once: later connections of the
   * capture go to the same addresses, whatever a name server says by then.
   * @throws {EgressRefused | ConnectFailed | TooManySockets} anything else when the capture ends meanwhile, which is not recorded.
   */
  connect(host: string, port: number): Promise<Socket>;
  /** Cuts `socket`, one of the browser's, when the capture ends. */
  hold(socket: Socket): void;
  /** Counts `bytes` that went to or came from `host`; when the budget is used up, ends the capture's traffic. */
  spend(bytes: number, host: string, port: number): void;
  refuse(refusal: Refusal): void;
  /** Each refusal once, in the order in which they happened, a hundred at most. */
  refusals(): readonly Refusal[];
  readonly ended: boolean;
  /** Whether the browser has come with a connection at all. */
  readonly begun: boolean;
  /** Cuts everything; nothing can be opened any more. Refusals stay readable. */
  end(): void;
}

/** The capture has as many connections open as it may. */
export class TooManySockets extends Error {
  override readonly name = "TooManySockets";
}

interface TrafficOptions {
  vet: Vet;
  limits: EgressLimits;
  /** Called at every refusal. `isNew` is false for one that is on the list already, or when the list is full. */
  report: (refusal: Refusal, isNew: boolean) => void;
  /** Called once, when more connections fail than `limits` allow; nothing can be opened any more then. */
  onFlood: () => void;
  connect?: Connect;
}

const refusalsMax = 100;

/** Opens the traffic of one capture. The caller ends it. */
export function createTraffic({ vet, limits, report, onFlood, connect: connectSocket }: TrafficOptions): Traffic {
  const over = new AbortController();
  const held = new Set<Socket>();
  const outside = new Set<Socket>();
  const refused = new Map<string, Refusal>();
  const vetted = new Map<string, Promise<Vetted>>();
  let dialling = 0;
  let begun = false;
  let bytesLeft = limits.bytesMax;
  const refusals = { inAll: 0, inSecond: 0, second: performance.now() };

  function countRefusal(): void {
    const now = performance.now();
    if (now - refusals.second >= 1_000) Object.assign(refusals, { inSecond: 0, second: now });
    refusals.inAll += 1;
    refusals.inSecond += 1;
    const isFlood = refusals.inAll > limits.refusalsMax || refusals.inSecond > limits.refusalsPerSecondMax;
    if (!isFlood || over.signal.aborted) return;
    end();
    onFlood();
  }

  function refuse(refusal: Refusal): void {
    const key = `${refusal.host} ${refusal.port} ${refusal.reason}`;
    const isNew = refused.size < refusalsMax && !refused.has(key);
    if (isNew) refused.set(key, refusal);
    report(refusal, isNew);
    countRefusal();
  }

  function vetOnce(host: string, port: number): Promise<Vetted> {
    const key = `${host} ${port}`;
    const known = vetted.get(key);
    if (known) return known;
    const vetting = vet.vet(host, port, over.signal);
    vetted.set(key, vetting);
    vetting.catch(() => vetted.delete(key)); // it may be found the next time
    return vetting;
  }

  async function open(host: string, port: number): Promise<Socket> {
    const { signal } = over;
    if (outside.size + dialling >= limits.socketsMax) throw new TooManySockets("the capture has every connection that it may have");
    dialling += 1;
    try {
      const { addresses } = await vetOnce(host, port);
      const socket = await dial(addresses, port, { timeoutMs: limits.connectTimeoutMs, signal, connect: connectSocket });
      if (signal.aborted) {
        socket.destroy();
        throw signal.reason;
      }
      outside.add(socket);
      socket.once("close", () => outside.delete(socket));
      socket.setTimeout(limits.idleTimeoutMs, () => socket.destroy(new Error("no traffic for too long")));
      return socket;
    } finally {
      dialling -= 1;
    }
  }

  async function connect(host: string, port: number): Promise<Socket> {
    try {
      return await open(host, port);
    } catch (error) {
      const reason = reasonOf(error);
      if (reason) refuse({ host, port, reason, ...(isAsUnresolved(error) ? { asUnresolved: true } : {}) });
      throw error;
    }
  }

  function end(): void {
    over.abort(new Error("The capture is over"));
    for (const socket of held) breakOff(socket);
    for (const socket of outside) socket.destroy();
  }

  return {
    connect,
    hold(socket) {
      begun = true;
      held.add(socket);
      socket.once("close", () => held.delete(socket));
    },
    spend(bytes, host, port) {
      bytesLeft -= bytes;
      if (bytesLeft >= 0 || over.signal.aborted) return;
      refuse({ host, port, reason: "byte_budget" });
      end();
    },
    refuse,
    refusals: () => [...refused.values()],
    get begun() {
      return begun;
    },
    get ended() {
      return over.signal.aborted;
    },
    end,
  };
}

/** Whether the page must not see that the name has an address. */
export function isAsUnresolved(error: unknown): boolean {
  return error instanceof EgressRefused && error.asUnresolved;
}

/** Undefined for what is no refusal, such as the end of the capture. */
export function reasonOf(error: unknown): Refusal["reason"] | undefined {
  if (error instanceof EgressRefused || error instanceof ConnectFailed) return error.reason;
  return error instanceof TooManySockets ? "socket_limit" : undefined;
}
