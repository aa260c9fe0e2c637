/** Connects to vetted targets through an upstream proxy. A caller's proxy is vetted like a target; the operator's proxies are trusted. */

import { isIP, type Socket } from "node:net";
import { canonicalAddress, judgeAddress } from "./address-policy.ts";
import { ConnectFailed, dial, type OpenSocket } from "./dial.ts";
import { localAddresses } from "./own-infrastructure.ts";
import { untilAborted } from "./resolve.ts";
import { openHttpTunnel, openSocksTunnel, ProxyFailed } from "./tunnels.ts";
import { EgressRefused, type Vet, type Vetted } from "./vet.ts";

export interface UpstreamProxy {
  protocol: "http" | "socks5";
  /** As `URL` spells it, IPv6 in brackets. */
  host: string;
  port: number;
  credentials: { user: string; password: string } | undefined;
  /** Whether the operator set it, in which case it may have a private address. */
  isTrusted: boolean;
  /** Whether only TLS connections may go through it, because it must not see their content. */
  isEncryptedOnly?: boolean | undefined;
  /** The capture's deadline, as a `performance.now()` timestamp. An unresponsive proxy fails earlier, so the error names the cause. */
  deadlineAt?: number | undefined;
}

/** A vetted target. */
interface UpstreamTarget {
  /** As `URL` spells it, IPv6 in brackets. */
  host: string;
  port: number;
  addresses: readonly string[];
}

interface UpstreamOptions {
  vet: Pick<Vet, "vetProxy">;
  /** Timeout for each connection. Includes looking up and reaching the proxy, and the proxy's own connection to the target. */
  timeoutMs: number;
  /** Aborts when the capture ends. */
  signal: AbortSignal;
  connect: OpenSocket | undefined;
}

/** Maximum number of a target's addresses to try. */
const addressesMax = 2;
/** Time reserved for reporting that the proxy didn't respond. */
const answerMs = 1_000;

/**
 * Returns a function that connects to a target through `proxy`. The proxy's name is resolved once, so all connections go to the same
 * addresses.
 *
 * A proxy outside our network gets the target's name, and resolves it again. If the proxy is on this machine or has a private address, a
 * second lookup could lead it to a private target, so it gets a vetted address instead.
 * @returns a function that throws {ProxyFailed} if the proxy fails; {ConnectFailed} if it can't reach the target; {EgressRefused} if the
 *   target is private and the proxy is outside our network, or if the target is a loopback address and the proxy is on another machine;
 *   the signal's reason if it aborts.
 */
export function createUpstream(proxy: UpstreamProxy, { vet, timeoutMs: timeoutMaxMs, signal, connect }: UpstreamOptions) {
  let known: Promise<ProxyLocation> | undefined;
  const locateProxy = () => {
    known ??= vet.vetProxy(proxy, signal).then(locationOf, (error) => {
      known = undefined; // the next lookup may succeed
      throw new ProxyFailed("proxy_unreachable", error);
    });
    return known;
  };

  return async (target: UpstreamTarget): Promise<Socket> => {
    const leftMs = (proxy.deadlineAt ?? Number.POSITIVE_INFINITY) - performance.now();
    const timeoutMs = Math.ceil(Math.min(timeoutMaxMs, Math.max(leftMs - answerMs, leftMs / 2, 1)));
    const deadline = AbortSignal.timeout(timeoutMs);
    const ending = AbortSignal.any([signal, deadline]);
    try {
      const { addresses, isNear, isHere } = await untilAborted(locateProxy(), ending);
      if (!isNear) assertNone(isPrivate, target, "a proxy outside this network");
      if (!isHere) assertNone(isLoopback, target, "a proxy on another machine");
      const destinations = isNear ? target.addresses.slice(0, addressesMax).map(inBrackets) : [target.host];
      return await tryInTurn(destinations, async (host) => {
        const socket = await dial(addresses, proxy.port, { timeoutMs: Math.ceil(timeoutMs / 2), signal: ending, connect }).catch(
          (error) => {
            throw error instanceof ConnectFailed ? new ProxyFailed("proxy_unreachable", error) : error;
          },
        );
        return await openTunnel(socket, proxy, { host, port: target.port }, ending);
      });
    } catch (error) {
      signal.throwIfAborted();
      if (deadline.aborted) throw new ProxyFailed("proxy_timeout", error);
      throw error;
    }
  };
}

interface ProxyLocation {
  addresses: readonly string[];
  /** Whether the proxy is on this machine, or on a private network. */
  isNear: boolean;
  /** Whether it is on this machine. */
  isHere: boolean;
}

function locationOf({ addresses }: Vetted): ProxyLocation {
  const local = localAddresses();
  const isOwn = (address: string) => isLoopback(address) || local.has(canonicalAddress(address));
  return { addresses, isNear: addresses.some((address) => isPrivate(address) || isOwn(address)), isHere: addresses.every(isOwn) };
}

/** Resolves with the tunnel, or closes `socket`. */
async function openTunnel(
  socket: Socket,
  proxy: UpstreamProxy,
  to: Omit<UpstreamTarget, "addresses">,
  signal: AbortSignal,
): Promise<Socket> {
  const abort = () => void socket.destroy(signal.reason);
  signal.addEventListener("abort", abort, { once: true });
  try {
    signal.throwIfAborted();
    await (proxy.protocol === "http" ? openHttpTunnel : openSocksTunnel)(socket, to, proxy.credentials);
    return socket;
  } catch (error) {
    socket.destroy();
    throw error;
  } finally {
    signal.removeEventListener("abort", abort);
  }
}

/** Tries the next address only if the proxy couldn't reach the target at the previous one. */
async function tryInTurn(hosts: readonly string[], open: (host: string) => Promise<Socket>): Promise<Socket> {
  let failure: unknown = new ConnectFailed("connection_failed", new Error("no address to connect to"));
  for (const host of hosts) {
    try {
      return await open(host);
    } catch (error) {
      failure = error;
      if (!(error instanceof ConnectFailed)) throw error;
    }
  }
  throw failure;
}

/** An address that is allowed here may belong to a different machine in the proxy's network. @throws {EgressRefused} for such a target. */
function assertNone(isRefused: (address: string) => boolean, { host, port, addresses }: UpstreamTarget, proxy: string): void {
  const address = addresses.find(isRefused);
  if (address !== undefined) throw new EgressRefused(host, port, "private_address", `${address} is allowed, but not through ${proxy}`);
}

const isPrivate = (address: string) => !judgeAddress(address).allowed;
/** Also true for addresses that Linux treats as loopback, such as 0.0.0.0. */
const isLoopback = (address: string) => /^(0\.|127\.|::1?$|::ffff:(0:|7f))/.test(canonicalAddress(address));
const inBrackets = (address: string) => (isIP(address) === 6 ? `[${address}]` : address);
