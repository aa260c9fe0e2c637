/** Determines the site of a host. */

import { getDomain } from "tldts";

/**
 * The registrable domain of a host name. Suffixes such as `github.io`, under which anyone can get a name, are treated as top-level
 * domains. A host without a registrable domain, such as an IP address, is its own site.
 */
export function siteOf(host: string): string {
  return getDomain(host, { allowPrivateDomains: true }) ?? host;
}
