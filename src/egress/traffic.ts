/** What one capture has open, has used up and was refused. */

import { Agent } from "node:http";
import type { Socket } from "node:net";
import { type Connect, ConnectFailed, type ConnectFailure, dial } from "./dial.ts";
import { EgressRefused, type RefusalReason, type Vet } from "./vet.ts";

export interface EgressLimits {
  /** Bytes of bodies and tunnels that one capture may move, both ways together. */
  bytesMax: number;
  /** Connections that one capture may have open to the outside, and the browser to its lane. */
  socketsMax: number;
  /** Longest time to connect, all addresses of a name together, the lookup not included. */
  connectTimeoutMs: number;
  /** A connection without traffic for this long is cut. */
  idleTimeoutMs: number;
}

/** A connection that a page wanted and did not get. `host` is as in a URL; empty when the request made no sense. */
export interface Refusal {
  host: string;
  port: number;
  reason: RefusalReason | ConnectFailure | "byte_budget" | "socket_limit" | "invalid_request" | "invalid_response" | "upgrade";
}

export interface Traffic {
  /** Keeps connections to the same host and port for the capture's next request. */
  readonly agent: Agent;
  /**
   * Vets and dials; the socket is cut when the capture ends. What fails is recorded.
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

/** The capture has as many connections open as it may, and none of them is idle. */
export class TooManySockets extends Error {
  override readonly name = "TooManySockets";
}

interface TrafficOptions {
  vet: Vet;
  limits: EgressLimits;
  /** Called at every refusal. `isNew` is false for one that is on the list already, or when the list is full. */
  report: (refusal: Refusal, isNew: boolean) => void;
  connect?: Connect;
}

const refusalsMax = 100;

/** Opens the traffic of one capture. The caller ends it. */
export function createTraffic({ vet, limits, report, connect: connectSocket }: TrafficOptions): Traffic {
  const over = new AbortController();
  const held = new Set<Socket>();
  const outside = new Set<Socket>();
  const refused = new Map<string, Refusal>();
  let dialling = 0;
  let begun = false;
  let bytesLeft = limits.bytesMax;

  const agent = new Agent({ keepAlive: true, timeout: limits.idleTimeoutMs });
  // Overridden on the agent because `http.request` ignores a `createConnection` of its own where there is an agent.
  agent.createConnection = ({ host, port }, callback) => {
    connect(host ?? "", Number(port)).then(
      (socket) => callback?.(null, socket),
      (error) => callback?.(error, undefined as never),
    );
    return undefined;
  };
  // Between requests the agent shortens a socket's time to what its server hinted, and does not give the rest back.
  agent.reuseSocket = (socket, req) => {
    Agent.prototype.reuseSocket.call(agent, socket, req);
    (socket as Socket).setTimeout(limits.idleTimeoutMs);
  };

  function refuse(refusal: Refusal): void {
    const key = `${refusal.host} ${refusal.port} ${refusal.reason}`;
    const isNew = refused.size < refusalsMax && !refused.has(key);
    if (isNew) refused.set(key, refusal);
    report(refusal, isNew);
  }

  /** Idle connections are kept for speed only: one of them gives way to a host that has none. */
  function makeRoom(): boolean {
    if (outside.size + dialling < limits.socketsMax) return true;
    const idle = Object.values(agent.freeSockets)
      .flatMap((sockets) => sockets ?? [])
      .find((socket) => !socket.destroyed);
    idle?.destroy();
    return idle !== undefined && outside.delete(idle);
  }

  async function open(host: string, port: number): Promise<Socket> {
    const { signal } = over;
    if (!makeRoom()) throw new TooManySockets("every connection that the capture may have is busy");
    dialling += 1;
    try {
      const { addresses } = await vet.vet(host, port, signal);
      const socket = await dial(addresses, port, { timeoutMs: limits.connectTimeoutMs, signal, connect: connectSocket });
      if (signal.aborted) {
        socket.destroy();
        throw signal.reason;
      }
      outside.add(socket);
      socket.once("close", () => outside.delete(socket));
      socket.setTimeout(limits.idleTimeoutMs, () => socket.destroy());
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
      if (reason) refuse({ host, port, reason });
      throw error;
    }
  }

  function end(): void {
    over.abort(new Error("The capture is over"));
    agent.destroy();
    for (const socket of [...held, ...outside]) socket.destroy();
  }

  return {
    agent,
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

function reasonOf(error: unknown): Refusal["reason"] | undefined {
  if (error instanceof EgressRefused || error instanceof ConnectFailed) return error.reason;
  return error instanceof TooManySockets ? "socket_limit" : undefined;
}
