/** Parses the setting that allows hosts outside the public internet. */

import { BlockList, isIP, isIPv6 } from "node:net";

export interface AllowedHosts {
  /** Whether an entry allows `port` of `host` (a URL's hostname) at its address `ip`. */
  matches(host: string, port: number, ip: string): boolean;
  /** Like `matches`, but only by an entry with this port, which is then allowed although it isn't a usual web port. */
  matchesPort(host: string, port: number, ip: string): boolean;
  /** Whether any entry has this port. */
  namesPort(port: number): boolean;
  /** Whether any entry is this name. */
  namesHost(host: string): boolean;
  /** Whether any entry is an address or a range. */
  namesAddresses(): boolean;
}

interface Entry {
  /** A name as URLs spell it, without a trailing dot. */
  name?: string;
  addresses?: BlockList;
  family?: "ipv4" | "ipv6";
  port?: number;
}

const validForms = "a host name, an IP address, either with an optional :port (IPv6 in brackets), or a CIDR such as 10.0.0.0/8";

/**
 * Parses hosts, `host:port`, addresses, `[address]:port` and CIDRs, separated by commas; empty text allows nothing.
 * @throws {Error} naming the first entry that is none of these.
 */
export function parseAllowedHosts(text: string): AllowedHosts {
  const entries = text
    .split(",")
    .map((part) => part.trim())
    .filter(Boolean)
    .map(parseEntry);
  const fits = (entry: Entry, host: string, port: number, ip: string) =>
    (entry.port === undefined || entry.port === port) && (entry.name === undefined ? contains(entry, ip) : entry.name === bareName(host));
  return {
    matches: (host, port, ip) => entries.some((entry) => fits(entry, host, port, ip)),
    matchesPort: (host, port, ip) => entries.some((entry) => entry.port !== undefined && fits(entry, host, port, ip)),
    namesPort: (port) => entries.some((entry) => entry.port === port),
    namesHost: (host) => entries.some((entry) => entry.name === bareName(host)),
    namesAddresses: () => entries.some((entry) => entry.addresses !== undefined),
  };
}

/** Normalised for comparison: `example.com.` and `example.com` are equal. */
export function bareName(host: string): string {
  return host.toLowerCase().replace(/\.+$/, "");
}

function contains({ addresses, family }: Entry, ip: string): boolean {
  if (ip.includes("%") || !addresses || !family) return false;
  // `check` with the other family would also match IPv4-mapped addresses.
  return (isIPv6(ip) ? "ipv6" : "ipv4") === family && addresses.check(ip, family);
}

function parseEntry(entry: string): Entry {
  const found = parseCidr(entry) ?? parseHost(entry);
  if (!found) throw new Error(`${JSON.stringify(entry)} is not valid${suggestion(entry)}; each entry must be ${validForms}`);
  return found;
}

/** For whole URLs, a common mistake. */
function suggestion(entry: string): string {
  const host = /^https?:/i.test(entry) && URL.canParse(entry) ? new URL(entry).host : "";
  return host === "" ? "" : ` (did you mean ${host}?)`;
}

function parseCidr(entry: string): Entry | undefined {
  const [, address, prefixText] = /^([0-9a-f.:]+)\/(\d{1,3})$/i.exec(entry) ?? [];
  if (address === undefined || !isIP(address)) return undefined;
  const prefix = Number(prefixText);
  return prefix <= (isIPv6(address) ? 128 : 32) ? addressEntry(address, prefix) : undefined;
}

function parseHost(entry: string): Entry | undefined {
  if (isIPv6(entry)) return entry.includes("%") ? undefined : addressEntry(entry, 128);
  const [, host, portText] = /^(\[[^\]]*\]|[^:[\]]+)(?::(\d{1,5}))?$/.exec(entry) ?? [];
  if (host === undefined) return undefined;
  const port = portText === undefined ? undefined : Number(portText);
  if (port !== undefined && (port < 1 || port > 65535)) return undefined;
  const address = host.replace(/^\[|\]$/g, "");
  if (isIP(address)) return address.includes("%") ? undefined : { ...addressEntry(address, isIPv6(address) ? 128 : 32), port };
  return isName(host) ? { name: bareName(host), port } : undefined;
}

function addressEntry(address: string, prefix: number): Entry {
  const family = isIPv6(address) ? "ipv6" : "ipv4";
  const addresses = new BlockList();
  addresses.addSubnet(address, prefix, family);
  return { addresses, family };
}

/** Rejects spellings that URLs normalise, such as the address `127.1`: such an entry would never match. */
function isName(host: string): boolean {
  return /^[a-z0-9_.-]+$/i.test(host) && URL.canParse(`http://${host}`) && new URL(`http://${host}`).hostname === host.toLowerCase();
}
