/** Tells whether an address is a part of this service, which no page may reach even where an operator allows its range. */

import { BlockList, isIP, isIPv6 } from "node:net";
import { networkInterfaces } from "node:os";
import { canonicalAddress, judgeAddress } from "./address-policy.ts";
import { bareName } from "./allowed-hosts.ts";
import type { Resolve } from "./resolve.ts";

/** Something that listens: a name or an address (`0.0.0.0` is this machine), and its port. */
export interface Place {
  host: string;
  port: number;
  /**
   * Where people reach the service, perhaps through a reverse proxy. Everybody may reach it at a public address, so may pages; elsewhere
   * it is refused, on the web's own ports by its name alone, because a proxy has other sites there.
   */
  isPublic?: boolean;
}

export interface OwnInfrastructure {
  /** Whether a part has this very name and port; `addresses` are the name's. */
  hasName(host: string, port: number, addresses: readonly string[]): boolean;
  /** Whether a part is at one of `addresses`; also true when that cannot be told because the part's name has no answer. */
  hasAny(addresses: readonly string[], port: number, signal: AbortSignal): Promise<boolean>;
  /** Counts one more part in; the returned function takes it out again. */
  add(place: Place): () => void;
}

/** Keeps `places`, resolving their names only when a page asks for an address that could be theirs. */
export function createOwnInfrastructure(places: readonly Place[], resolve: Resolve): OwnInfrastructure {
  const parts = new Set(places.map((place) => ({ ...place, host: bareName(place.host.replace(/^\[|\]$/g, "")) })));

  async function isAt(part: Place, spots: ReadonlySet<string>, here: ReadonlySet<string>, signal: AbortSignal): Promise<boolean> {
    const suspects = [...spots].filter((spot) => couldBePart(spot, part));
    if (isIP(part.host) || part.host === "localhost") return suspects.includes(spotOf(part.host, here));
    if (suspects.length === 0) return false;
    const found = await resolve(part.host, signal).catch(() => []);
    signal.throwIfAborted();
    return found.length === 0 || found.some((ip) => suspects.includes(spotOf(ip, here)));
  }

  return {
    hasName: (host, port, addresses) => {
      const name = bareName(host).replace(/^\[|\]$/g, "");
      const isOpen = addresses.every((ip) => judgeAddress(ip).allowed);
      return [...parts].some((part) => part.port === port && part.host === name && !(part.isPublic && isOpen));
    },
    async hasAny(addresses, port, signal) {
      const near = [...parts].filter((part) => part.port === port);
      if (near.length === 0) return false;
      const here = addressesOfThisMachine();
      const spots = new Set(addresses.map((ip) => spotOf(ip, here)));
      for (const part of near) {
        if (await isAt(part, spots, here, signal)) return true;
      }
      return false;
    },
    add(place) {
      const part = { ...place };
      parts.add(part);
      return () => void parts.delete(part);
    },
  };
}

/** Public web addresses are shared by many sites (a storage behind a content network), so there only the name tells. */
function couldBePart(spot: string, { host, port, isPublic }: Place): boolean {
  const isWebPort = port === 80 || port === 443;
  const isName = isIP(host) === 0 && host !== "localhost";
  if (isPublic) return !judgeAddress(spot).allowed && !(isWebPort && isName);
  return !isWebPort || !isName || !judgeAddress(spot).allowed;
}

const thisMachine = "this machine";
const loopback = new BlockList();
loopback.addSubnet("127.0.0.0", 8, "ipv4");

/** All of this machine's addresses are one spot: whoever listens on 0.0.0.0 answers on each of them. */
function spotOf(host: string, here: ReadonlySet<string>): string {
  if (host === "localhost") return thisMachine;
  if (host.includes("%")) return host;
  const ip = withoutMapping(canonicalAddress(host));
  const local = ip === "0.0.0.0" || ip === "::" || ip === "::1" || here.has(ip) || (!isIPv6(ip) && loopback.check(ip, "ipv4"));
  return local ? thisMachine : ip;
}

/** `::ffff:7f00:1` reaches what 127.0.0.1 reaches. */
function withoutMapping(ip: string): string {
  const [, high, low] = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(ip) ?? [];
  if (high === undefined || low === undefined) return ip;
  return [high, low]
    .map((group) => Number.parseInt(group, 16))
    .flatMap((group) => [group >> 8, group & 255])
    .join(".");
}

function addressesOfThisMachine(): Set<string> {
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  return new Set(all.map(({ address }) => (address.includes("%") ? address : canonicalAddress(address))));
}
