/** Names the setting that allows a refused target. Considers only how the address is written, so it reveals nothing about the network. */

import { isIP } from "node:net";
import { judgeAddress } from "./address-policy.ts";
import { isInternalName, isLocalhost } from "./vet.ts";

/**
 * Advice on how to allow the target; undefined unless the target is this machine or on a private network.
 * @param host as `URL` spells it.
 * @param ownPorts the service's ports on this machine, if callers may learn of them.
 */
export function adviceFor(host: string, port: number, ownPorts: readonly number[]): string | undefined {
  const kind = privateKind(host);
  if (kind === undefined) return undefined;
  const setting = `EGRESS_ALLOWED_HOSTS=${host}:${port}`;
  if (kind === "network") return `If the page is on the service's network, the operator can allow it by setting ${setting}.`;
  if (ownPorts.includes(port)) return `${host}:${port} is part of the service, which doesn't capture itself.`;
  const command = `npm run local -- --allow ${port}`;
  return `${host} is the machine on which the service runs. On your own machine, start the service with \`${command}\`; elsewhere, the operator can set ${setting}.`;
}

/** Loopback and private networks, but not hosts without pages, such as cloud metadata services. */
function privateKind(host: string): "loopback" | "network" | undefined {
  const ip = host.replace(/^\[|\]$/g, "");
  if (isIP(ip) === 0) {
    if (isLocalhost(host)) return "loopback";
    return isInternalName(host) && !/\.invalid\.?$|^metadata\./.test(host) ? "network" : undefined;
  }
  const verdict = judgeAddress(ip);
  if (verdict.allowed) return undefined;
  if (verdict.reason.startsWith("loopback")) return "loopback";
  return /^(private|unique local)\b/.test(verdict.reason) ? "network" : undefined;
}
