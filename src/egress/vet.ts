/** Decides whether a host and port may be connected to, and at which addresses; nothing else decides that. */

import { isIP } from "node:net";
import { judgeAddress } from "./address-policy.ts";
import { type AllowedHosts, bareName } from "./allowed-hosts.ts";
import { createOwnInfrastructure, type Place } from "./own-infrastructure.ts";
import { createResolve, LookupTimeout, type Resolve } from "./resolve.ts";

export type RefusalReason =
  | "scheme"
  | "invalid_host"
  | "port"
  | "private_address"
  | "own_infrastructure"
  | "name_not_resolved"
  | "dns_timeout";

/** A connection that is not made. `reason` is stable; `detail` is for logs, it may name inside addresses. */
export class EgressRefused extends Error {
  override readonly name = "EgressRefused";
  readonly host: string;
  readonly port: number;
  readonly reason: RefusalReason;
  /** Page and caller get the answer for a name that does not exist: which names there are inside is not told. */
  readonly asUnresolved: boolean;

  constructor(host: string, port: number, reason: RefusalReason, detail: string) {
    super(`${host}:${port} is refused: ${detail}`);
    this.host = host;
    this.port = port;
    this.reason = reason;
    this.asUnresolved = addressReasons.has(reason) && isName(host);
  }
}

/** What only somebody finds out who knows the address that a name has. */
const addressReasons: ReadonlySet<RefusalReason> = new Set(["private_address", "own_infrastructure", "name_not_resolved", "dns_timeout"]);

/** Addresses to dial, in order of preference; every one of them was judged. */
export interface Vetted {
  addresses: string[];
}

export interface Vet {
  /**
   * Judges `host`, a hostname as `URL` spells it (IPv6 in brackets), and `port`. A name is looked up once; dial only what is returned.
   * Ends within 10 s: the lookup of the name, and of an own part's name where it could be one.
   * @throws {EgressRefused} when it may not be reached or has no address; the signal's reason when that aborts.
   */
  vet(host: string, port: number, signal: AbortSignal): Promise<Vetted>;
  /** The same for a URL, for early and clear errors; credentials in it play no part. */
  vetUrl(url: URL, signal: AbortSignal): Promise<Vetted>;
  /** Counts a listener of our own as infrastructure until the returned function is called. */
  keepOut(place: Place): () => void;
}

type PortRange = readonly [first: number, last: number];

/** The web's own ports and those that any user may listen on; below are mail, shells and file shares. */
const webPorts: readonly PortRange[] = [
  [80, 80],
  [443, 443],
  [1024, 65535],
];

const lookupTimeoutMs = 5_000;

interface VetOptions {
  allowedHosts: AllowedHosts;
  /** Database, cache, storage, the API's and the metrics' own listeners. Lanes count themselves in. */
  infrastructure: readonly Place[];
  /** Looks names up; the system's name servers and 5 s unless given. */
  resolve?: Resolve;
  /** Ports open to all; 80, 443 and 1024 to 65535 unless given. An allowed `host:port` opens its own. */
  ports?: readonly PortRange[];
}

/** Makes the one judge of a process. It holds nothing open. */
export function createVet({ allowedHosts, infrastructure, resolve, ports = webPorts }: VetOptions): Vet {
  const ownNames = new Set(infrastructure.map(({ host }) => bareName(host)));
  const asSystem = (host: string) => allowedHosts.namesHost(host) || ownNames.has(bareName(host));
  const lookup = resolve ?? createResolve({ asSystem, timeoutMs: lookupTimeoutMs });
  const own = createOwnInfrastructure(infrastructure, lookup);
  const isOpen = (port: number) => ports.some(([first, last]) => port >= first && port <= last);

  async function vet(host: string, port: number, signal: AbortSignal): Promise<Vetted> {
    signal.throwIfAborted();
    const refuse = (reason: RefusalReason, detail: string) => new EgressRefused(host, port, reason, detail);
    if (!isCanonical(host)) throw refuse("invalid_host", "not a hostname as URLs spell it");
    if (!isPort(port) || !(isOpen(port) || allowedHosts.namesPort(port))) throw refuse("port", "the port is not open");
    // Where an address may be allowed, a name has to be looked up to know whether it has that one.
    const isReserved = isInsideName(host) && !allowedHosts.namesHost(host) && !allowedHosts.namesAddresses();
    if (isReserved) throw refuse("name_not_resolved", "only a network inside gives such names an address");

    const found = await addressesOf(host, port, signal, lookup);
    if (own.hasName(host, port, found)) throw refuse("own_infrastructure", "it is a part of this service");
    const refusals = new Map(found.map((ip) => [ip, allowedHosts.matches(host, port, ip) ? undefined : whyNotPublic(ip)]));
    const addresses = found.filter((ip) => refusals.get(ip) === undefined);
    // One bad answer refuses the name. Both loopback addresses of localhost are our own answer, so there an allowed one is enough.
    const bad = found.find((ip) => refusals.get(ip) !== undefined);
    if (bad && !(isLocalhost(host) && addresses.length > 0)) throw refuse("private_address", `${bad} is ${refusals.get(bad)}`);
    if (!isOpen(port) && !addresses.every((ip) => allowedHosts.matchesPort(host, port, ip))) throw refuse("port", "the port is not open");
    if (await own.hasAny(addresses, port, signal)) throw refuse("own_infrastructure", "it is a part of this service");
    return { addresses };
  }

  return {
    vet,
    async vetUrl(url, signal) {
      const port = url.port === "" ? (url.protocol === "https:" ? 443 : 80) : Number(url.port);
      if (url.protocol !== "http:" && url.protocol !== "https:") {
        throw new EgressRefused(url.hostname, port, "scheme", "only http and https are captured");
      }
      return vet(url.hostname, port, signal);
    },
    keepOut: own.add,
  };
}

function whyNotPublic(ip: string): string | undefined {
  const verdict = judgeAddress(ip);
  return verdict.allowed ? undefined : verdict.reason;
}

/** What a URL would spell differently (`0x7f.1`, `127.1`, credentials, zone ids) was never parsed as one, and is not guessed at. */
function isCanonical(host: string): boolean {
  return URL.canParse(`http://${host}`) && new URL(`http://${host}`).hostname === host;
}

function isPort(port: number): boolean {
  return Number.isInteger(port) && port >= 1 && port <= 65535;
}

/** Neither an address nor our own answer: what name servers decide. */
function isName(host: string): boolean {
  return isIP(host.replace(/^\[|\]$/g, "")) === 0 && !isLocalhost(host);
}

/** Names that the public internet does not have: single labels, and what is reserved for networks inside (RFC 6762, RFC 8375, .internal). */
function isInsideName(host: string): boolean {
  const name = bareName(host);
  return isName(host) && (!name.includes(".") || /\.(local|internal|home\.arpa)$/.test(name));
}

/** Names under localhost are loopback, whatever a name server says (RFC 6761, 6.3). */
function isLocalhost(host: string): boolean {
  return /(^|\.)localhost$/.test(bareName(host));
}

/** @throws {EgressRefused} when there is no address. */
async function addressesOf(host: string, port: number, signal: AbortSignal, resolve: Resolve): Promise<string[]> {
  const literal = host.replace(/^\[|\]$/g, "");
  if (isIP(literal)) return [literal];
  if (isLocalhost(host)) return ["127.0.0.1", "::1"];
  try {
    const found = [...new Set(await resolve(host, signal))];
    if (found.length > 0) return found;
  } catch (error) {
    if (error instanceof LookupTimeout) throw new EgressRefused(host, port, "dns_timeout", error.message);
    throw error;
  }
  throw new EgressRefused(host, port, "name_not_resolved", "the name has no address");
}
