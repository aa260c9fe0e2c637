/** Resolves host names, with a timeout. */

import { lookup, Resolver } from "node:dns/promises";

/**
 * All addresses of `host`, IPv4 first; empty if there are none.
 * @throws {LookupTimeout} if DNS did not respond in time; the signal's reason if it aborts.
 */
export type Resolve = (host: string, signal: AbortSignal) => Promise<string[]>;

export class LookupTimeout extends Error {
  override readonly name = "LookupTimeout";
}

interface ResolveOptions {
  /** Whether to resolve a name with the operating system's resolver, which reads `/etc/hosts`. */
  asSystem: (host: string) => boolean;
  /** Timeout per lookup, for both address families together. */
  timeoutMs: number;
  /** `address` or `address:port` of name servers. Default: the system's. */
  servers?: string[];
}

/** A resolver for `vet`. Holds no resources between lookups. */
export function createResolve({ asSystem, timeoutMs, servers }: ResolveOptions): Resolve {
  return async (host, signal) => {
    signal.throwIfAborted();
    const timeout = AbortSignal.timeout(timeoutMs);
    const deadline = AbortSignal.any([signal, timeout]);
    // c-ares ignores /etc/hosts, which may list other containers. `lookup` reads it, but occupies a thread of libuv's small pool until the
    // system times out: acceptable for names from the operator's settings, but not for names from pages.
    const addresses = await (asSystem(host) ? systemLookup(host, deadline) : query(host, deadline, timeoutMs, servers));
    signal.throwIfAborted();
    if (addresses.length === 0 && timeout.aborted) throw new LookupTimeout(`no DNS response for ${host} within ${timeoutMs} ms`);
    return addresses;
  };
}

/** Waits for `work`, such as a lookup shared with other callers. @throws the error from `work`; the signal's reason if it aborts first. */
export async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = Promise.withResolvers<never>();
  const abort = () => aborted.reject(signal.reason);
  signal.throwIfAborted();
  signal.addEventListener("abort", abort, { once: true });
  try {
    return await Promise.race([work, aborted.promise]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}

async function systemLookup(host: string, deadline: AbortSignal): Promise<string[]> {
  const found = lookup(host, { all: true, order: "ipv4first" }).then(
    (answers) => answers.map(({ address }) => address),
    () => [],
  );
  return await untilAborted(found, deadline).catch(() => []);
}

/** Queries both address families concurrently; if one fails, the other's addresses are returned. */
async function query(host: string, deadline: AbortSignal, timeoutMs: number, servers?: string[]): Promise<string[]> {
  const resolver = new Resolver({ timeout: Math.ceil(timeoutMs / 3), tries: 2, maxTimeout: timeoutMs });
  if (servers) resolver.setServers(servers);
  const cancel = () => resolver.cancel();
  deadline.addEventListener("abort", cancel, { once: true });
  try {
    const families = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
    const timedOut = families.some((family) => family.status === "rejected" && family.reason?.code === "ETIMEOUT");
    const addresses = families.flatMap((family) => (family.status === "fulfilled" ? family.value : []));
    if (addresses.length === 0 && timedOut && !deadline.aborted) throw new LookupTimeout(`no DNS response for ${host}`);
    return addresses;
  } finally {
    deadline.removeEventListener("abort", cancel);
  }
}
