/** The base URL of links to this service. */

import type { FastifyRequest } from "fastify";

/** Scheme, host and optionally a path, without a trailing slash. */
export type LinkBase = (request: FastifyRequest) => string;

/**
 * `PUBLIC_URL`, otherwise the origin of `WEB_PUBLIC_URL` for requests through the dashboard, otherwise the request's `Host`.
 * `X-Forwarded-Host` only identifies the dashboard: many proxies forward the client's value, and a cached response would send other clients
 * to that host.
 */
export function createLinkBase(publicUrl: string, dashboardUrl: string): LinkBase {
  const configured = publicUrl.replace(/(?<!\/)\/+$/, "");
  const dashboard = new URL(dashboardUrl);
  return (request) => {
    if (configured !== "") return configured;
    if (request.host === dashboard.host) return dashboard.origin; // a trusted proxy's X-Forwarded-Host, otherwise Host
    const scheme = request.protocol === "https" ? "https" : "http";
    return `${scheme}://${request.headers.host || ownAddress(request)}`;
  };
}

/** The local address of the connection, for HTTP/1.0 requests without a `Host`. */
function ownAddress({ socket: { localAddress = "localhost", localPort } }: FastifyRequest): string {
  return `${localAddress.includes(":") ? `[${localAddress}]` : localAddress}:${localPort}`;
}
