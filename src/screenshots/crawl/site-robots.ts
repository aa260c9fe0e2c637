/** Reads a site's robots.txt for a crawl, from the same IP address as the crawl's captures. */

import type { Socket } from "node:net";
import type { Caller } from "../../accounts/keys/caller.ts";
import { assertMayCapture } from "../../accounts/keys/restrictions.ts";
import type { UpstreamProxy } from "../../shared/proxy-url.ts";
import type { ReadRobots } from "../../sitemaps/read-robots.ts";
import type { Proxies } from "../take/proxies.ts";
import type { ProxyOptions } from "../take/take-options.ts";

/**
 * @param options the captures' proxy options.
 * @throws {AppError} `target_not_allowed` if the key may not capture the site; `invalid_parameters`, `proxy_not_allowed` or
 *   `domain_not_allowed` if the caller may not use the proxy; `rate_limited` or `unavailable` while too many files are being read. Also
 *   throws the reason of `signal`.
 */
export type SiteRobots = (caller: Caller, options: ProxyOptions, origin: string, signal: AbortSignal) => ReturnType<ReadRobots>;

interface SiteRobotsParts {
  readRobots: ReadRobots;
  proxies: Pick<Proxies, "proxyFor">;
  /** Connects through the egress filter, and through `proxy` if given. */
  connect: (host: string, port: number, signal: AbortSignal, proxy?: UpstreamProxy) => Promise<Socket>;
}

export function createSiteRobots({ readRobots, proxies, connect }: SiteRobotsParts): SiteRobots {
  return async (caller, options, origin, signal) => {
    const proxy = proxies.proxyFor(caller, options);
    const reader = {
      userId: caller.userId,
      assertMayFetch: (url: URL) => assertMayCapture(caller, url),
      connect: (host: string, port: number, ended: AbortSignal) => connect(host, port, ended, proxy),
    };
    return await readRobots(origin, reader, signal);
  };
}
