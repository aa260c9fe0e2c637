/**
 * Names the setting that allows a refused target. Based only on how the address is written, so that it reveals nothing about the network.
 */

import { isIP } from "node:net";
import { judgeAddress } from "./address-policy.ts";
import { isInternalName, isLocalhost } from "./vet.ts";

/** One sentence; undefined unless the target is on a private network. @param host as `URL` spells it. */
export function adviceFor(host: string, port: number): string | undefined {
  if (!isPrivate(host)) return undefined;
  return `If the page is on the network of the service, its operator can allow it with the setting EGRESS_ALLOWED_HOSTS=${host}:${port}.`;
}

/** Loopback and private networks, but not hosts without pages, such as cloud metadata services. */
function isPrivate(host: string): boolean {
  const ip = host.replace(/^\[|\]$/g, "");
  if (isIP(ip) === 0) return isLocalhost(host) || (isInternalName(host) && !/\.invalid\.?$|^metadata\./.test(host));
  const verdict = judgeAddress(ip);
  return !verdict.allowed && /^(loopback|private|unique local)\b/.test(verdict.reason);
}
