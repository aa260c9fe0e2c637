/**
 * Controls what the service may reach on behalf of callers: one egress filter for the browsers' proxies and this process's own connections.
 */

import type { Socket } from "node:net";
import type { BaseLogger } from "pino";
import { parseAllowedHosts } from "../egress/address-policy.ts";
import { adviceFor } from "../egress/advice.ts";
import { ConnectFailed, type ConnectFailure, dial } from "../egress/dial.ts";
import type { ServiceEndpoint } from "../egress/own-infrastructure.ts";
import { createEgressProxy, type EgressProxy } from "../egress/proxy.ts";
import { ProxyFailed } from "../egress/tunnels.ts";
import { createUpstream } from "../egress/upstream.ts";
import { createVet, EgressRefused, type Vet } from "../egress/vet.ts";
import type { Config } from "../settings/config.ts";
import { parseProxies } from "../settings/proxies.ts";
import { AppError, failures } from "../shared/errors.ts";
import type { VetTarget } from "../shared/open-connection.ts";
import type { UpstreamProxy } from "../shared/proxy-url.ts";
import type { Metrics } from "../telemetry/metrics.ts";

export interface Network extends Connections {
  /** Opens an egress proxy for one browser, with `share` times a capture's limits on bytes and total refusals. */
  openProxy(share?: number): Promise<EgressProxy>;
  /**
   * Connects to a target through one of the operator's proxies, and disconnects; without a target, connects only to the proxy.
   * @throws {Error} with a message for operators.
   */
  tryProxy(proxy: UpstreamProxy, target: { host: string; port: number } | undefined, signal: AbortSignal): Promise<void>;
}

/** Connections made by this process itself. */
export interface Connections {
  vetTarget: VetTarget;
  /**
   * Connects to a host, given as in `URL.hostname`. Resolves it once and dials only vetted addresses. The caller closes the socket.
   * @param proxy the proxy to connect through, which is vetted as well; by default, the connection is direct.
   * @throws {AppError} `target_blocked`, `name_not_resolved`, `connection_failed`, `proxy_failed`; the signal's reason if it aborts.
   */
  connect(host: string, port: number, signal: AbortSignal, proxy?: UpstreamProxy): Promise<Socket>;
}

/** Network limits for one capture. Chromium opens at most 256 connections at a time, but closed connections linger briefly. */
const proxyLimits = {
  bytesMax: 200 * 1024 * 1024,
  socketsMax: 320,
  connectTimeoutMs: 10_000,
  refusalsMax: 3_000,
  refusalsPerSecondMax: 1_000,
};

const connectTimeoutMs = 10_000;

const connectMessages: Record<ConnectFailure, string> = {
  connection_failed: "The server could not be reached.",
  connection_refused: "The server refused the connection.",
  connect_timeout: "The server did not accept the connection in time.",
};

interface Dependencies {
  log: BaseLogger;
  metrics: Pick<Metrics, "egressRefusals">;
}

/** Create one per process. Holds no resources. */
export function createNetwork(config: Config, { log, metrics }: Dependencies): Network {
  const vet = createVet({ allowedHosts: parseAllowedHosts(config.EGRESS_ALLOWED_HOSTS), infrastructure: infrastructureOf(config) });
  const limits = { ...proxyLimits, idleTimeoutMs: config.SCREENSHOT_TIMEOUT };
  return {
    ...createConnections(vet, config.NODE_ENV === "development" ? [config.PORT, config.WEB_PORT] : []),
    openProxy: (share = 1) =>
      createEgressProxy({
        vet,
        log,
        limits: { ...limits, bytesMax: share * limits.bytesMax, refusalsMax: share * limits.refusalsMax },
        onRefused: ({ reason }) => metrics.egressRefusals.inc({ reason }),
      }),
    async tryProxy(proxy, target, signal) {
      const options = { timeoutMs: connectTimeoutMs, signal };
      if (!target) {
        const { addresses } = await vet.vetProxy(proxy, signal);
        return void (await dial(addresses, proxy.port, options)).destroy();
      }
      const { addresses } = await vet.vet(target.host, target.port, signal);
      const socket = await createUpstream(proxy, { vet, ...options, connect: undefined })({ ...target, addresses });
      socket.destroy();
    },
  };
}

/** @param ownPorts the service's own ports on this machine, which the `target_blocked` message may reveal to callers. */
export function createConnections(vet: Vet, ownPorts: readonly number[] = []): Connections {
  return {
    vetTarget: async (url, signal) => void (await withPublicErrors(vet.vetUrl(url, signal), ownPorts)),
    connect: async (host, port, signal, proxy) => {
      const { addresses } = await withPublicErrors(vet.vet(host, port, signal), ownPorts);
      const options = { timeoutMs: connectTimeoutMs, signal };
      try {
        if (!proxy) return await dial(addresses, port, options);
        return await withPublicErrors(createUpstream(proxy, { vet, ...options, connect: undefined })({ host, port, addresses }), ownPorts);
      } catch (error) {
        if (error instanceof ProxyFailed) throw new AppError("proxy_failed", { cause: error });
        if (!(error instanceof ConnectFailed)) throw error;
        throw new AppError("connection_failed", { message: connectMessages[error.reason], cause: error });
      }
    },
  };
}

/** Reports a refusal without details of the internal network. */
async function withPublicErrors<T>(vetting: Promise<T>, ownPorts: readonly number[]): Promise<T> {
  try {
    return await vetting;
  } catch (error) {
    if (!(error instanceof EgressRefused)) throw error;
    const code = error.asUnresolved ? "name_not_resolved" : "target_blocked";
    const message = [failures[code].message, adviceFor(error.host, error.port, ownPorts) ?? []].flat().join(" ");
    throw new AppError(code, { message, isUnrecorded: true, cause: error });
  }
}

/**
 * The service's own endpoints. Except for public endpoints at a public address, pages may not reach them, even if the operator allows their
 * address range.
 */
function infrastructureOf(config: Config): ServiceEndpoint[] {
  const redis = new URL(config.REDIS_URL);
  const { OTEL_EXPORTER_OTLP_ENDPOINT: collector, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: traceCollector } = config;
  const byUrl = [config.STORAGE_URL, config.STORAGE_ENDPOINT, config.WEB_SERVER_URL, collector, traceCollector].flatMap(
    (text) => endpointOf(text) ?? [],
  );
  return [
    { host: config.DATABASE_HOST, port: config.DATABASE_PORT },
    { host: redis.hostname || config.REDIS_HOST, port: Number(redis.port) || config.REDIS_PORT },
    { host: config.HOST, port: config.PORT },
    { host: config.HOST, port: config.METRICS_PORT },
    ...(config.CDP_PORT === undefined ? [] : [{ host: config.HOST, port: config.CDP_PORT }]),
    { host: config.WEB_HOST, port: config.WEB_PORT },
    ...byUrl,
    // Proxies are only for captures with `country`: neither pages nor callers can reach them directly.
    ...parseProxies(config.PROXIES).map(({ proxy }) => ({ host: proxy.host, port: proxy.port, isProxy: true })),
    ...[config.PUBLIC_URL, config.WEB_PUBLIC_URL].flatMap(publicEndpoints),
  ];
}

/** Endpoints of a public URL. A URL with port 80 or 443 yields both ports, since they usually lead to the same server. */
function publicEndpoints(url: string): ServiceEndpoint[] {
  const endpoint = endpointOf(url);
  if (!endpoint) return [];
  const ports = endpoint.port === 80 || endpoint.port === 443 ? [80, 443] : [endpoint.port];
  return ports.map((port) => ({ ...endpoint, port, isPublic: true }));
}

function endpointOf(text: string): ServiceEndpoint | undefined {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol)) return undefined;
  return { host: url.hostname, port: Number(url.port) || (url.protocol === "https:" ? 443 : 80) };
}
