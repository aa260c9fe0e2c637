/** Connections of one capture: opens them, counts their bytes and failures, and closes them when the capture ends. */

import type { Socket } from "node:net";
import { abortConnection, ConnectFailed, type ConnectFailure, dial, type OpenSocket } from "./dial.ts";
import { ProxyFailed, type ProxyFailure } from "./tunnels.ts";
import { createUpstream, type UpstreamProxy } from "./upstream.ts";
import { EgressRefused, type RefusalReason, type Vet, type Vetted } from "./vet.ts";

/** A connection that a page requested but did not get, or that was cut off because of a limit or rule. */
export interface RefusedConnection {
  /** As in a URL; empty if the destination is unknown. */
  host: string;
  port: number;
  reason: RefusalReason | ConnectFailure | ProxyFailure | "not_encrypted" | "byte_budget" | "socket_limit" | "invalid_request";
  /** If set, the page and the caller get the error for a nonexistent name. */
  asUnresolved?: true;
}

export interface EgressLimits {
  /** Maximum number of failed connections per capture. A page can cause thousands per second, and each costs this process about 0.3 ms. */
  refusalsMax: number;
  refusalsPerSecondMax: number;
  /** Maximum number of bytes that one capture may transfer, in both directions combined. */
  bytesMax: number;
  /** Maximum number of open connections from a capture to the outside, and from a browser to its egress proxy. */
  socketsMax: number;
  /** Timeout for connecting to all addresses of a name. Includes an upstream proxy's DNS lookup, but not the target's. */
  connectTimeoutMs: number;
  /** Time after which idle connections are closed. */
  idleTimeoutMs: number;
}

export type OnLimit = (limit: "data" | "failed connections") => void;

export interface CaptureTraffic {
  /**
   * Vets the host and connects to it; the socket is closed when the capture ends. Failures are recorded as refusals. A name
   * is resolved once per capture and port, so DNS rebinding has no effect on later connections.
   * @throws {EgressRefused | ConnectFailed | ProxyFailed | TooManySockets}; another error, which isn't recorded, if the capture ends first.
   */
  connect(host: string, port: number): Promise<Socket>;
  /** Registers one of the browser's sockets, to be closed when the capture ends. */
  hold(socket: Socket): void;
  /** Whether only TLS connections are allowed; the caller checks what the browser sends. */
  readonly isEncryptedOnly: boolean;
  /** Counts `bytes` transferred to or from `host`; ends the capture's traffic if the budget is exceeded. */
  spend(bytes: number, host: string, port: number): void;
  refuse(refusal: RefusedConnection): void;
  /** Distinct refusals in order of occurrence, at most 100. */
  refusals(): readonly RefusedConnection[];
  readonly ended: boolean;
  /** Whether the browser has connected to its egress proxy. */
  readonly hasConnected: boolean;
  /** Closes every connection and refuses new ones. Refusals stay readable. */
  end(): void;
}

/** The capture has reached its limit on open connections. */
export class TooManySockets extends Error {
  override readonly name = "TooManySockets";
}

interface TrafficOptions {
  vet: Vet;
  limits: EgressLimits;
  /** Called for every refusal; `isNew` is false if it is already listed, or if the list is full. */
  report: (refusal: RefusedConnection, isNew: boolean) => void;
  /** Called at most once, with the limit that was exceeded and ended the traffic. */
  onLimit: OnLimit;
  connect?: OpenSocket;
  /** Proxy that all connections go through; by default, they are direct. */
  upstream?: UpstreamProxy | undefined;
}

/** Starts one capture's traffic. The caller ends it. */
export function createCaptureTraffic({ vet, limits, report, onLimit, connect, upstream }: TrafficOptions): CaptureTraffic {
  const ending = new AbortController();
  const browserSockets = new Set<Socket>();
  const refusals = createRefusals(limits, report);
  const outside = createConnector({ vet, limits, connect, upstream, signal: ending.signal });
  let hasConnected = false;
  let bytesLeft = limits.bytesMax;

  const end = () => {
    ending.abort(new Error("The capture is over"));
    for (const socket of browserSockets) abortConnection(socket);
    outside.closeAll();
  };
  const refuse = (refusal: RefusedConnection) => {
    if (refusals.add(refusal) || ending.signal.aborted) return;
    end();
    onLimit("failed connections");
  };

  return {
    async connect(host, port) {
      try {
        return await outside.connect(host, port);
      } catch (error) {
        const reason = reasonOf(error);
        if (reason) refuse({ host, port, reason, ...(isAsUnresolved(error) ? { asUnresolved: true } : {}) });
        throw error;
      }
    },
    hold(socket) {
      hasConnected = true;
      browserSockets.add(socket);
      socket.once("close", () => browserSockets.delete(socket));
    },
    spend(bytes, host, port) {
      bytesLeft -= bytes;
      if (bytesLeft >= 0 || ending.signal.aborted) return;
      end();
      refuse({ host, port, reason: "byte_budget" });
      onLimit("data");
    },
    refuse,
    refusals: refusals.list,
    isEncryptedOnly: upstream?.isEncryptedOnly === true,
    get hasConnected() {
      return hasConnected;
    },
    get ended() {
      return ending.signal.aborted;
    },
    end,
  };
}

const listedMax = 100;

/** Lists a capture's refused and failed connections, and detects a flood of them. */
function createRefusals(limits: EgressLimits, report: TrafficOptions["report"]) {
  const listed = new Map<string, RefusedConnection>();
  let total = 0;
  let second = { startedAt: performance.now(), count: 0 };

  const isWithinLimits = () => {
    const now = performance.now();
    if (now - second.startedAt >= 1_000) second = { startedAt: now, count: 0 };
    second.count += 1;
    total += 1;
    return total <= limits.refusalsMax && second.count <= limits.refusalsPerSecondMax;
  };

  return {
    /** @returns false once there are more refusals than the limits allow. */
    add: (refusal: RefusedConnection): boolean => {
      const key = `${refusal.host} ${refusal.port} ${refusal.reason}`;
      const isNew = listed.size < listedMax && !listed.has(key);
      if (isNew) listed.set(key, refusal);
      report(refusal, isNew);
      return isWithinLimits();
    },
    list: (): readonly RefusedConnection[] => [...listed.values()],
  };
}

interface ConnectorOptions {
  vet: Vet;
  limits: EgressLimits;
  connect: OpenSocket | undefined;
  upstream: UpstreamProxy | undefined;
  /** Aborts when the capture ends. */
  signal: AbortSignal;
}

/** Opens connections to vetted hosts, up to the limit. */
function createConnector({ vet, limits, connect, upstream, signal }: ConnectorOptions) {
  const options = { timeoutMs: limits.connectTimeoutMs, signal, connect };
  const through = upstream && createUpstream(upstream, { vet, ...options });
  const sockets = new Set<Socket>();
  const vetted = new Map<string, Promise<Vetted>>();
  let dialling = 0;

  const vetOnce = (host: string, port: number): Promise<Vetted> => {
    const key = `${host} ${port}`;
    const known = vetted.get(key);
    if (known) return known;
    const vetting = vet.vet(host, port, signal);
    vetted.set(key, vetting);
    vetting.catch(() => vetted.delete(key)); // the next lookup may succeed
    return vetting;
  };

  return {
    connect: async (host: string, port: number): Promise<Socket> => {
      if (sockets.size + dialling >= limits.socketsMax) throw new TooManySockets("the capture has reached its connection limit");
      dialling += 1;
      try {
        const { addresses } = await vetOnce(host, port);
        const socket = await (through ? through({ host, port, addresses }) : dial(addresses, port, options));
        if (signal.aborted) {
          socket.destroy();
          throw signal.reason;
        }
        sockets.add(socket);
        socket.once("close", () => sockets.delete(socket));
        socket.setTimeout(limits.idleTimeoutMs, () => socket.destroy(new Error("idle for too long")));
        return socket;
      } finally {
        dialling -= 1;
      }
    },
    closeAll: () => {
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** Whether the page must not learn that the name has an address. */
export function isAsUnresolved(error: unknown): boolean {
  return error instanceof EgressRefused && error.asUnresolved;
}

/** Undefined for errors that aren't refusals, such as an abort at the end of the capture. */
export function reasonOf(error: unknown): RefusedConnection["reason"] | undefined {
  if (error instanceof EgressRefused || error instanceof ConnectFailed || error instanceof ProxyFailed) return error.reason;
  return error instanceof TooManySockets ? "socket_limit" : undefined;
}
