/** The site of a host. */

import { getDomain } from "tldts";

/**
 * The registrable domain of a host name, also under a suffix such as `github.io`, below which anyone can have a name; a host without one,
 * such as an IP address, is its own site.
 */
export function siteOf(host: string): string {
  return getDomain(host, { allowPrivateDomains: true }) ?? host;
}
