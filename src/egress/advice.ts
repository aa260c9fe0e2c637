/** Names the setting with which an operator allows a refused target. Goes by the spelling of its address alone: what is there doesn't show. */

import { isIP } from "node:net";
import { judgeAddress } from "./address-policy.ts";
import { isInternalName, isLocalhost } from "./vet.ts";

/** A sentence; undefined where the target is not on a private network. @param host as `URL` spells it. */
export function adviceFor(host: string, port: number): string | undefined {
  if (!isPrivate(host)) return undefined;
  return `If the page is on the network of the service, its operator can allow it with the setting EGRESS_ALLOWED_HOSTS=${host}:${port}.`;
}

/** Loopback and private networks; nothing that serves no pages, such as the metadata of clouds. */
function isPrivate(host: string): boolean {
  const ip = host.replace(/^\[|\]$/g, "");
  if (isIP(ip) === 0) return isLocalhost(host) || (isInternalName(host) && !/\.invalid\.?$|^metadata\./.test(host));
  const verdict = judgeAddress(ip);
  return !verdict.allowed && /^(loopback|private|unique local)\b/.test(verdict.reason);
}
