/**
 * Decides which addresses pages may reach: the public internet, according to tables of refused blocks, and hosts that the operator allows.
 */

import { BlockList, isIP, isIPv4, isIPv6 } from "node:net";

export type AddressJudgement = { allowed: true } | { allowed: false; reason: string };

type Block = [subnet: string, prefix: number, reason: string];

/**
 * IANA's special-purpose registry, but stricter than its "globally reachable" column: blocks that never serve web pages are also refused.
 * https://www.iana.org/assignments/iana-ipv4-special-registry
 */
const ipv4Blocks: Block[] = [
  ["0.0.0.0", 8, "this network (RFC 791)"],
  ["10.0.0.0", 8, "private (RFC 1918)"],
  ["100.64.0.0", 10, "carrier-grade NAT (RFC 6598)"],
  ["127.0.0.0", 8, "loopback (RFC 1122)"],
  ["168.63.129.16", 32, "Azure's wire server, a public address reachable only inside Azure"],
  ["169.254.0.0", 16, "link-local (RFC 3927), used by cloud metadata services"],
  ["172.16.0.0", 12, "private (RFC 1918)"],
  ["192.0.0.0", 24, "IETF protocol assignments (RFC 6890)"],
  ["192.0.2.0", 24, "documentation (RFC 5737)"],
  ["192.31.196.0", 24, "AS112 (RFC 7535)"],
  ["192.52.193.0", 24, "automatic multicast tunneling (RFC 7450)"],
  ["192.88.99.0", 24, "6to4 relay (RFC 7526)"],
  ["192.168.0.0", 16, "private (RFC 1918)"],
  ["192.175.48.0", 24, "AS112 (RFC 7534)"],
  ["198.18.0.0", 15, "benchmarking (RFC 2544)"],
  ["198.51.100.0", 24, "documentation (RFC 5737)"],
  ["203.0.113.0", 24, "documentation (RFC 5737)"],
  ["224.0.0.0", 4, "multicast (RFC 5771)"],
  ["255.255.255.255", 32, "limited broadcast (RFC 919)"],
  ["240.0.0.0", 4, "reserved (RFC 1112)"],
];

/**
 * Blocks inside 2000::/3 are refused only by this table; blocks outside it are always refused, and are listed only for a precise message.
 * Every block that embeds IPv4 addresses is refused: public hosts can be reached at their IPv4 address.
 * https://www.iana.org/assignments/iana-ipv6-special-registry
 */
const ipv6Blocks: Block[] = [
  ["::", 128, "unspecified (RFC 4291)"],
  ["::1", 128, "loopback (RFC 4291)"],
  ["::ffff:0:0", 96, "IPv4-mapped (RFC 4291)"],
  ["::ffff:0:0:0", 96, "IPv4-translated (RFC 2765)"],
  ["::", 96, "IPv4-compatible (RFC 4291)"],
  ["64:ff9b::", 96, "NAT64 (RFC 6052)"],
  ["64:ff9b:1::", 48, "local NAT64 (RFC 8215)"],
  ["100::", 64, "discard only (RFC 6666)"],
  ["100:0:0:1::", 64, "dummy prefix (RFC 9780)"],
  ["2001::", 32, "Teredo (RFC 4380)"],
  ["2001:2::", 48, "benchmarking (RFC 5180)"],
  ["2001:10::", 28, "ORCHID (RFC 4843)"],
  ["2001:20::", 28, "ORCHIDv2 (RFC 7343)"],
  ["2001::", 23, "IETF protocol assignments (RFC 2928)"],
  ["2001:db8::", 32, "documentation (RFC 3849)"],
  ["2002::", 16, "6to4 (RFC 3056)"],
  ["2620:4f:8000::", 48, "AS112 (RFC 7534)"],
  ["3ffe::", 16, "6bone, returned (RFC 3701)"],
  ["3fff::", 20, "documentation (RFC 9637)"],
  ["5f00::", 16, "segment routing (RFC 9602)"],
  ["fc00::", 7, "unique local (RFC 4193)"],
  ["fe80::", 10, "link-local (RFC 4291)"],
  ["fec0::", 10, "site-local (RFC 3879)"],
  ["ff00::", 8, "multicast (RFC 4291)"],
];

// One table per family: an IPv6 subnet that contains ::ffff:0:0/96 would also match IPv4 addresses.
const ipv4Table = ipv4Blocks.map((block) => ({ list: listOf(block, "ipv4"), reason: block[2] }));
const ipv6Table = ipv6Blocks.map((block) => ({ list: listOf(block, "ipv6"), reason: block[2] }));
const globalUnicast = listOf(["2000::", 3, ""], "ipv6");

function listOf([subnet, prefix]: Block, family: "ipv4" | "ipv6"): BlockList {
  const list = new BlockList();
  list.addSubnet(subnet, prefix, family);
  return list;
}

/**
 * Checks one IP address in text form, IPv6 without brackets. Anything else is refused, including addresses with a zone id. Ports, names and
 * the operator's allow-list are not considered.
 */
export function judgeAddress(ip: string): AddressJudgement {
  if (isIPv4(ip)) return verdict(ipv4Table.find(({ list }) => list.check(ip, "ipv4"))?.reason);
  if (!isIPv6(ip)) return verdict("not an address");
  if (ip.includes("%")) return verdict("scoped to a zone (RFC 4007)");
  const special = ipv6Table.find(({ list }) => list.check(ip, "ipv6"))?.reason;
  if (special) return verdict(special);
  if (!globalUnicast.check(ip, "ipv6")) return verdict("outside global unicast, 2000::/3 (RFC 4291)");
  return verdict(isIsatap(ip) ? "ISATAP (RFC 5214)" : undefined);
}

function verdict(reason: string | undefined): AddressJudgement {
  return reason === undefined ? { allowed: true } : { allowed: false, reason };
}

/** ISATAP addresses, with the interface identifier `[02]00:5efe:a.b.c.d`, exist under any prefix, so no block covers them. */
function isIsatap(ip: string): boolean {
  const [head = "", tail = ""] = canonicalAddress(ip).split("::");
  const first = head.split(":").filter(Boolean);
  const last = tail.split(":").filter(Boolean);
  const groups = [...first, ...Array(8 - first.length - last.length).fill("0"), ...last].map((group) => Number.parseInt(group, 16));
  return ((groups[4] ?? 0) & 0xfcff) === 0 && groups[5] === 0x5efe;
}

/**
 * Normalizes an address for comparison: IPv6 compressed, lower case, without brackets (RFC 5952).
 * @throws {TypeError} if `ip` has a zone id.
 */
export function canonicalAddress(ip: string): string {
  return isIPv6(ip) ? new URL(`http://[${ip}]`).hostname.slice(1, -1) : ip;
}

/** The parsed setting that allows hosts outside the public internet. */
export interface AllowedHosts {
  /** Whether an entry allows `port` on `host` (a URL's hostname) at its address `ip`. */
  matches(host: string, port: number, ip: string): boolean;
  /** Like `matches`, but considers only entries that name this port. The port is then allowed even if it is not a usual web port. */
  matchesPort(host: string, port: number, ip: string): boolean;
  /** Whether any entry has this port. */
  namesPort(port: number): boolean;
  /** Whether any entry has this name. */
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

const validForms = "a host name or IP address, optionally with :port (IPv6 in brackets), or a CIDR such as 10.0.0.0/8";

/**
 * Parses hosts, `host:port`, addresses, `[address]:port` and CIDRs, separated by commas; empty text allows nothing.
 * @throws {Error} naming the first entry that doesn't have one of these forms.
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

/** Normalizes a name for comparison: `example.com.` equals `example.com`. */
export function bareName(host: string): string {
  return host.toLowerCase().replace(/(?<!\.)\.+$/, "");
}

function contains({ addresses, family }: Entry, ip: string): boolean {
  if (ip.includes("%") || !addresses || !family) return false;
  // With the other family, `check` would also match IPv4-mapped addresses.
  return (isIPv6(ip) ? "ipv6" : "ipv4") === family && addresses.check(ip, family);
}

function parseEntry(entry: string): Entry {
  const found = parseCidr(entry) ?? parseHost(entry);
  if (!found) throw new Error(`${JSON.stringify(entry)} is not valid${suggestion(entry)}; each entry must be ${validForms}`);
  return found;
}

/** A hint for entries that are whole URLs, a common mistake. */
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

/** Rejects spellings that URLs normalize, such as the address `127.1`, because the entry would never match. */
function isName(host: string): boolean {
  return /^[a-z0-9_.-]+$/i.test(host) && URL.canParse(`http://${host}`) && new URL(`http://${host}`).hostname === host.toLowerCase();
}
