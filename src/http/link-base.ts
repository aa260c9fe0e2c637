/** What links to this service begin with. */

import type { FastifyRequest } from "fastify";

/** Scheme, host and perhaps a path, without a slash at its end. */
export type LinkBase = (request: FastifyRequest) => string;

/**
 * `PUBLIC_URL`, else `WEB_PUBLIC_URL` for what the dashboard forwards, else the request's own `Host`. `X-Forwarded-Host` counts for
 * nothing else: many proxies pass on what a client sent, and an answer that a shared cache keeps would link others to the client's host.
 */
export function createLinkBase(publicUrl: string, dashboardUrl: string): LinkBase {
  const configured = publicUrl.replace(/\/+$/, "");
  const dashboard = new URL(dashboardUrl);
  return (request) => {
    if (configured !== "") return configured;
    if (request.host === dashboard.host) return dashboard.origin; // X-Forwarded-Host of a listed proxy, else Host
    const scheme = request.protocol === "https" ? "https" : "http";
    return `${scheme}://${request.headers.host || ownAddress(request)}`;
  };
}

/** Where the connection ends, for HTTP/1.0 without a Host. */
function ownAddress({ socket: { localAddress = "localhost", localPort } }: FastifyRequest): string {
  return `${localAddress.includes(":") ? `[${localAddress}]` : localAddress}:${localPort}`;
}
