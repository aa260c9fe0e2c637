/** The only place that decides whether a host and port may be connected to, and at which addresses. */

import { isIP } from "node:net";
import { type AllowedHosts, bareName, judgeAddress } from "./address-policy.ts";
import { createOwnInfrastructure, type ServiceEndpoint } from "./own-infrastructure.ts";
import { createResolve, LookupTimeout, type Resolve } from "./resolve.ts";

export type RefusalReason =
  | "scheme"
  | "invalid_host"
  | "port"
  | "private_address"
  | "own_infrastructure"
  | "name_not_resolved"
  | "dns_timeout";

/** A refused connection. `reason` is stable; `detail` is for logs and may contain internal addresses. */
export class EgressRefused extends Error {
  override readonly name = "EgressRefused";
  readonly host: string;
  readonly port: number;
  readonly reason: RefusalReason;
  /** If true, the page and the caller get the error for a nonexistent name, so that internal names aren't revealed. */
  readonly asUnresolved: boolean;

  constructor(host: string, port: number, reason: RefusalReason, detail: string) {
    super(`${host}:${port} is refused: ${detail}`);
    this.host = host;
    this.port = port;
    this.reason = reason;
    this.asUnresolved = addressReasons.has(reason) && isName(host);
  }
}

/** Reasons that depend on a name's address: distinguishing them would reveal which internal names exist. */
const addressReasons: ReadonlySet<RefusalReason> = new Set(["private_address", "own_infrastructure", "name_not_resolved", "dns_timeout"]);

/** Checked addresses to dial, in order of preference. */
export interface Vetted {
  addresses: string[];
}

export interface Vet {
  /**
   * Checks `host`, a hostname as `URL` spells it (IPv6 in brackets), and `port`. A name is resolved once; dial only the returned addresses.
   * Takes at most 10 s: one lookup of the name, then concurrent lookups of the names of our own endpoints that could be the target.
   * @throws {EgressRefused} if the target may not be reached or has no address; the signal's reason if it aborts.
   */
  vet(host: string, port: number, signal: AbortSignal): Promise<Vetted>;
  /**
   * Checks the address of a capture's proxy. The operator's proxies may be private, and are resolved like the names in other settings; a
   * caller's proxy is checked like a target.
   * @throws {EgressRefused} if the proxy may not be reached or has no address; the signal's reason if it aborts.
   */
  vetProxy(proxy: { host: string; port: number; isTrusted: boolean }, signal: AbortSignal): Promise<Vetted>;
  /** Like `vet`, but for a URL, to refuse a target early and with a clear error. Ignores credentials in the URL. */
  vetUrl(url: URL, signal: AbortSignal): Promise<Vetted>;
  /** Treats `endpoint` as our own infrastructure until the returned function is called. */
  block(endpoint: ServiceEndpoint): () => void;
}

type PortRange = readonly [first: number, last: number];

/** HTTP's default ports, and unprivileged ports; other ports below 1024 serve mail, shells and file shares. */
const webPorts: readonly PortRange[] = [
  [80, 80],
  [443, 443],
  [1024, 65535],
];

const lookupTimeoutMs = 5_000;

/** Maximum number of a name's addresses that are judged, and that may be dialed. A DNS response may have thousands; each takes 20 µs. */
const addressesMax = 64;

interface VetOptions {
  allowedHosts: AllowedHosts;
  /** The service's own endpoints: stores, listeners, the dashboard, the operator's proxies and others. Egress proxies add themselves. */
  infrastructure: readonly ServiceEndpoint[];
  /** Default: the system's name servers, with a timeout of 5 s. */
  resolve?: Resolve;
  /** Ports allowed on every host. Default: 80, 443 and 1024 to 65535. An allowed `host:port` also opens that port on that host. */
  ports?: readonly PortRange[];
  /** Time in milliseconds, for caching the addresses of our own endpoints. */
  now?: () => number;
}

/** Create one per process. Holds no resources. */
export function createVet({ allowedHosts, infrastructure, resolve, ports = webPorts, now = () => performance.now() }: VetOptions): Vet {
  const ownNames = new Set(infrastructure.map(({ host }) => bareName(host)));
  const asSystem = (host: string) => allowedHosts.namesHost(host) || ownNames.has(bareName(host));
  const lookup = resolve ?? createResolve({ asSystem, timeoutMs: lookupTimeoutMs });
  const own = createOwnInfrastructure(infrastructure, lookup, now);
  const isOpen = (port: number) => ports.some(([first, last]) => port >= first && port <= last);

  async function vet(host: string, port: number, signal: AbortSignal): Promise<Vetted> {
    signal.throwIfAborted();
    const refuse = (reason: RefusalReason, detail: string) => new EgressRefused(host, port, reason, detail);
    if (!isCanonical(host)) throw refuse("invalid_host", "not a canonical hostname");
    if (!isPort(port) || !(isOpen(port) || allowedHosts.namesPort(port))) throw refuse("port", "the port is not open");
    if (isDocumentName(host)) throw refuse("name_not_resolved", "the name is a placeholder for documents sent by callers");
    // If the operator allows any addresses, the name must be resolved to find out whether it has one of them.
    const isReserved = isInternalName(host) && !allowedHosts.namesHost(host) && !allowedHosts.namesAddresses();
    if (isReserved) throw refuse("name_not_resolved", "such names exist only on internal networks");

    const found = (await addressesOf(host, port, signal, lookup)).slice(0, addressesMax);
    if (own.hasName(host, port, found)) throw refuse("own_infrastructure", "the target is part of this service");
    const refusals = new Map(found.map((ip) => [ip, allowedHosts.matches(host, port, ip) ? undefined : whyNotPublic(ip)]));
    const addresses = found.filter((ip) => refusals.get(ip) === undefined);
    // A single bad address is enough to refuse the name. For localhost we supply both loopback addresses ourselves, so one allowed address
    // is enough.
    const bad = found.find((ip) => refusals.get(ip) !== undefined);
    if (bad !== undefined && !(isLocalhost(host) && addresses.length > 0))
      throw refuse("private_address", `${bad} is not public: ${refusals.get(bad)}`);
    if (!isOpen(port) && !addresses.every((ip) => allowedHosts.matchesPort(host, port, ip))) throw refuse("port", "the port is not open");
    if (await own.hasAny(addresses, port, signal)) throw refuse("own_infrastructure", "the target is part of this service");
    return { addresses };
  }

  return {
    vet,
    vetProxy: async ({ host, port, isTrusted }, signal) =>
      isTrusted ? { addresses: await addressesOf(host, port, signal, lookup) } : await vet(host, port, signal),
    async vetUrl(url, signal) {
      const port = url.port === "" ? (url.protocol === "https:" ? 443 : 80) : Number(url.port);
      if (url.protocol !== "http:" && url.protocol !== "https:") {
        throw new EgressRefused(url.hostname, port, "scheme", "only http and https are captured");
      }
      return vet(url.hostname, port, signal);
    },
    block: own.add,
  };
}

function whyNotPublic(ip: string): string | undefined {
  const verdict = judgeAddress(ip);
  return verdict.allowed ? undefined : verdict.reason;
}

/** Other spellings (`0x7f.1`, `127.1`, credentials, zone ids) can't come from a parsed URL, so they are refused rather than interpreted. */
function isCanonical(host: string): boolean {
  return URL.canParse(`http://${host}`) && new URL(`http://${host}`).hostname === host;
}

function isPort(port: number): boolean {
  return Number.isInteger(port) && port >= 1 && port <= 65535;
}

/** Whether the host is a name, rather than an address or localhost. */
function isName(host: string): boolean {
  return isIP(host.replace(/^\[|\]$/g, "")) === 0 && !isLocalhost(host);
}

/** Names that don't exist on the public internet: single labels, and four reserved domains (RFC 6761, RFC 6762, RFC 8375, .internal). */
export function isInternalName(host: string): boolean {
  const name = bareName(host);
  return isName(host) && (!name.includes(".") || /\.(local|internal|invalid|home\.arpa)$/.test(name));
}

/** localhost and its subdomains are loopback, whatever DNS says (RFC 6761, section 6.3), except for names of callers' documents. */
export function isLocalhost(host: string): boolean {
  return /(^|\.)localhost$/.test(bareName(host)) && !isDocumentName(host);
}

/** Names of documents sent by callers (`addressOf` in `capture/options.ts`), which have no server. */
function isDocumentName(host: string): boolean {
  return /^(html|markdown)\.localhost$/.test(bareName(host));
}

/** @throws {EgressRefused} if there is no address; the signal's reason if it aborts. */
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
  throw new EgressRefused(host, port, "name_not_resolved", "the name does not resolve to any address");
}
