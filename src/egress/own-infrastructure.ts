/**
 * Decides whether an address belongs to this service. Pages may not reach its endpoints, even in a range that the operator allows, except
 * for public endpoints at a public address.
 */

import { BlockList, isIP, isIPv6 } from "node:net";
import { networkInterfaces } from "node:os";
import { bareName, canonicalAddress, judgeAddress } from "./address-policy.ts";
import { type Resolve, untilAborted } from "./resolve.ts";

/** A listener: a name or an address (`0.0.0.0` means this machine), and its port. */
export interface ServiceEndpoint {
  host: string;
  port: number;
  /**
   * Whether it is a public URL of the service, perhaps behind a reverse proxy. Pages may reach it at a public address, like anyone else.
   * At other addresses it is refused, but on ports 80 and 443 only by name, because a reverse proxy may serve other sites there.
   */
  isPublic?: boolean;
  /**
   * Whether it is one of the operator's proxies. Until a proxy's name has been resolved, no address is refused because of it. Until any
   * other endpoint's name, such as the database's, has been resolved, every address that the endpoint could have is refused.
   */
  isProxy?: boolean;
}

export interface OwnInfrastructure {
  /**
   * Whether an endpoint has exactly this name and port. A public endpoint counts only if `host` has an address that isn't public.
   * @param addresses all addresses of `host`.
   */
  hasName(host: string, port: number, addresses: readonly string[]): boolean;
  /**
   * Whether an endpoint has one of `addresses` and this port. Also true if the name of an endpoint with this port, other than a
   * proxy, has never been resolved, because that endpoint might have one of the addresses.
   */
  hasAny(addresses: readonly string[], port: number, signal: AbortSignal): Promise<boolean>;
  /** Adds an endpoint; the returned function removes it. */
  add(endpoint: ServiceEndpoint): () => void;
}

/** Time after which a name is looked up again, depending on whether the last lookup found it. */
const renewAfterMs = { found: 60_000, missing: 15_000 };

interface Answer {
  /** Result of the latest successful lookup; empty if there was none. */
  addresses: string[];
  /** Whether the latest lookup succeeded. */
  wasFound: boolean;
  renewAt: number;
}

/**
 * Caches the addresses of our own endpoints' names. The cache has no limit, since all names come from the settings. Concurrent connections
 * share one lookup per name, and don't wait for it if the previous lookup failed.
 * @returns a function that returns the addresses of a name, or none if it has never been found.
 */
function createLookups(resolve: Resolve, now: () => number): (name: string) => Promise<string[]> {
  const answers = new Map<string, Answer>();
  const lookups = new Map<string, Promise<string[]>>();

  async function lookUp(name: string): Promise<string[]> {
    const found = await resolve(name, new AbortController().signal).catch(() => []);
    const wasFound = found.length > 0;
    const addresses = wasFound ? found : (answers.get(name)?.addresses ?? []);
    answers.set(name, { addresses, wasFound, renewAt: now() + (wasFound ? renewAfterMs.found : renewAfterMs.missing) });
    lookups.delete(name);
    return addresses;
  }

  return async (name) => {
    const known = answers.get(name);
    if (known && now() < known.renewAt) return known.addresses;
    const looking = lookups.get(name) ?? lookUp(name);
    lookups.set(name, looking);
    return known?.wasFound === false ? known.addresses : await looking;
  };
}

/**
 * Names of `initial` endpoints are resolved only when a page requests an address that could be theirs. Hundreds of endpoints, such as the
 * operator's proxies, may share a port; all of them are looked up concurrently.
 * @param now returns the time in milliseconds.
 */
export function createOwnInfrastructure(initial: readonly ServiceEndpoint[], resolve: Resolve, now: () => number): OwnInfrastructure {
  const bare = initial.map((endpoint) => ({ ...endpoint, host: bareName(endpoint.host.replace(/^\[|\]$/g, "")) }));
  const endpoints = new Set(new Map(bare.map((one) => [`${one.host} ${one.port} ${one.isPublic} ${one.isProxy}`, one])).values());
  const addressesOf = createLookups(resolve, now);

  return {
    hasName: (host, port, addresses) => {
      const name = bareName(host).replace(/^\[|\]$/g, "");
      const isOpen = addresses.every((ip) => judgeAddress(ip).allowed);
      return [...endpoints].some((endpoint) => endpoint.port === port && endpoint.host === name && !(endpoint.isPublic && isOpen));
    },
    async hasAny(addresses, port, signal) {
      const samePort = [...endpoints].filter((endpoint) => endpoint.port === port);
      if (samePort.length === 0) return false;
      const local = localAddresses();
      const machines = [...new Set(addresses.map((ip) => machineOf(ip, local)))];
      const all = machines.map((machine) => ({ machine, isOpen: judgeAddress(machine).allowed }));
      const checks = samePort.map((endpoint) => ({
        host: endpoint.host,
        isProxy: endpoint.isProxy === true,
        candidates: all.filter(({ isOpen }) => couldBe(isOpen, endpoint)).map(({ machine }) => machine),
      }));
      const isOneOf = (candidates: string[], host: string) => candidates.includes(machineOf(host, local));
      const literals = checks.filter(({ host }) => isIP(host) || host === "localhost");
      if (literals.some(({ candidates, host }) => isOneOf(candidates, host))) return true;
      const names = checks.filter((check) => !literals.includes(check) && check.candidates.length > 0);
      const isAny = Promise.all(
        names.map(async ({ candidates, host, isProxy }) => {
          const found = await addressesOf(host);
          return found.length === 0 ? !isProxy : found.some((ip) => isOneOf(candidates, ip));
        }),
      );
      return (await untilAborted(isAny, signal)).includes(true);
    },
    add(endpoint) {
      const added = { ...endpoint };
      endpoints.add(added);
      return () => void endpoints.delete(added);
    },
  };
}

/**
 * Many sites may share a public web address, such as a CDN's, so on ports 80 and 443 only the name identifies the endpoint. Proxies are an
 * exception, because they don't share their port with sites.
 */
function couldBe(isOpen: boolean, { host, port, isPublic, isProxy }: ServiceEndpoint): boolean {
  const isWebPort = port === 80 || port === 443;
  const isName = isIP(host) === 0 && host !== "localhost";
  if (isPublic) return !isOpen && !(isWebPort && isName);
  return isProxy === true || !isWebPort || !isName || !isOpen;
}

const thisMachine = "this machine";
const loopback = new BlockList();
loopback.addSubnet("127.0.0.0", 8, "ipv4");

/** The address, or `this machine` for any address of this machine, since a listener on 0.0.0.0 accepts connections on all of them. */
function machineOf(host: string, local: ReadonlySet<string>): string {
  if (host === "localhost") return thisMachine;
  if (host.includes("%")) return host;
  const ip = withoutMapping(canonicalAddress(host));
  const isLocal = ip === "0.0.0.0" || ip === "::" || ip === "::1" || local.has(ip) || (!isIPv6(ip) && loopback.check(ip, "ipv4"));
  return isLocal ? thisMachine : ip;
}

/** Unwraps IPv4-mapped addresses: `::ffff:7f00:1` connects to 127.0.0.1. */
function withoutMapping(ip: string): string {
  const [, high, low] = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(ip) ?? [];
  if (high === undefined || low === undefined) return ip;
  return [high, low]
    .map((group) => Number.parseInt(group, 16))
    .flatMap((group) => [group >> 8, group & 255])
    .join(".");
}

/** Addresses of this machine's network interfaces. */
export function localAddresses(): Set<string> {
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  return new Set(all.map(({ address }) => (address.includes("%") ? address : canonicalAddress(address))));
}
