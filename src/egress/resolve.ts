/** Looks up the addresses of a host name, within a time limit. */

import { lookup, Resolver } from "node:dns/promises";

/**
 * All addresses of `host`, IPv4 first; empty when it has none.
 * @throws {LookupTimeout} when no answer came in time; the signal's reason when that aborts.
 */
export type Resolve = (host: string, signal: AbortSignal) => Promise<string[]>;

export class LookupTimeout extends Error {
  override readonly name = "LookupTimeout";
}

interface ResolveOptions {
  /** Names that are looked up the way the operating system does, `/etc/hosts` included. */
  asSystem: (host: string) => boolean;
  /** Longest time of one lookup, both families together. */
  timeoutMs: number;
  /** `address` or `address:port` of the name servers; the system's unless given. */
  servers?: string[];
}

/** Makes a resolver for `vet`. It holds nothing open between lookups. */
export function createResolve({ asSystem, timeoutMs, servers }: ResolveOptions): Resolve {
  return async (host, signal) => {
    signal.throwIfAborted();
    const timeout = AbortSignal.timeout(timeoutMs);
    const deadline = AbortSignal.any([signal, timeout]);
    // Containers know their neighbours from /etc/hosts, which c-ares' queries do not read. `lookup` does, but it occupies one of
    // the process's few threads until the system gives up: fit for names that an operator wrote down, not for a page's.
    const addresses = await (asSystem(host) ? lookUp(host, deadline) : query(host, deadline, timeoutMs, servers));
    signal.throwIfAborted();
    if (addresses.length === 0 && timeout.aborted) throw new LookupTimeout(`no answer for ${host} in ${timeoutMs} ms`);
    return addresses;
  };
}

async function lookUp(host: string, deadline: AbortSignal): Promise<string[]> {
  const stopped = Promise.withResolvers<never[]>();
  const stop = () => stopped.resolve([]);
  deadline.addEventListener("abort", stop, { once: true });
  try {
    const found = lookup(host, { all: true, order: "ipv4first" }).then((answers) => answers.map(({ address }) => address));
    return await Promise.race([found.catch(() => []), stopped.promise]);
  } finally {
    deadline.removeEventListener("abort", stop);
  }
}

/** Asks for both families at once; a family that fails leaves the other's answers standing. */
async function query(host: string, deadline: AbortSignal, timeoutMs: number, servers?: string[]): Promise<string[]> {
  const resolver = new Resolver({ timeout: Math.ceil(timeoutMs / 3), tries: 2, maxTimeout: timeoutMs });
  if (servers) resolver.setServers(servers);
  const cancel = () => resolver.cancel();
  deadline.addEventListener("abort", cancel, { once: true });
  try {
    const families = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
    const timedOut = families.some((family) => family.status === "rejected" && family.reason?.code === "ETIMEOUT");
    const addresses = families.flatMap((family) => (family.status === "fulfilled" ? family.value : []));
    if (addresses.length === 0 && timedOut && !deadline.aborted) throw new LookupTimeout(`no answer for ${host}`);
    return addresses;
  } finally {
    deadline.removeEventListener("abort", cancel);
  }
}
