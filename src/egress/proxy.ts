/** A browser's only access to the network: a filtering SOCKS5 proxy on loopback that forwards connections only while a capture runs. */

import { once } from "node:events";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { abortConnection, type OpenSocket } from "./dial.ts";
import { type Destination, ProtocolViolation, type ReplyCode, receiveRequest, reply } from "./socks.ts";
import {
  type CaptureTraffic,
  createCaptureTraffic,
  type EgressLimits,
  isAsUnresolved,
  type OnLimit,
  type RefusedConnection,
  reasonOf,
} from "./traffic.ts";
import type { UpstreamProxy } from "./upstream.ts";
import type { Vet } from "./vet.ts";

/** The part of pino's logger used here. */
interface Log {
  debug(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export interface EgressProxy {
  /** `socks5://127.0.0.1:port`, for `--proxy-server`. */
  readonly proxyServer: string;
  /**
   * Lets one capture connect. Ends the previous one if it is still running, and forgets its refusals.
   * When the capture transfers more data or causes more failed connections than the limits allow, `onLimit` is called and all further
   * connections are refused.
   * @param upstream proxy that all of the capture's connections go through; by default, they are direct.
   */
  begin(captureId: string, onLimit?: OnLimit, upstream?: UpstreamProxy): void;
  /** Distinct refusals, at most 100, in the current capture or, if there is none, in the last one. */
  refusals(): readonly RefusedConnection[];
  /** Whether the browser has connected since `begin`. If it hasn't by the time of a navigation, its network service has hung. */
  hasConnected(): boolean;
  /** Closes every connection on both sides and refuses new ones until the next `begin`. */
  end(): void;
  /** Ends the capture and stops listening. */
  close(): Promise<void>;
}

interface EgressProxyOptions {
  vet: Vet;
  log: Log;
  limits: EgressLimits;
  /** Called for every refusal, including repeated ones. */
  onRefused?: (refusal: RefusedConnection) => void;
  /** Opens sockets to vetted addresses. Default: `net.connect`. */
  connect?: OpenSocket;
}

/** Listens on a free port, which pages can't use as a target. The caller closes the proxy. */
export async function createEgressProxy({ vet, log, limits, onRefused, connect }: EgressProxyOptions): Promise<EgressProxy> {
  let traffic: CaptureTraffic | undefined;
  const current = () => (traffic?.ended === false ? traffic : undefined);
  const server = listen(limits, current);
  server.on("error", (error) => log.error({ err: error }, "egress proxy listener failed"));
  await once(server.listen({ port: 0, host: "127.0.0.1" }), "listening");
  const { port } = server.address() as AddressInfo;
  const unblock = vet.block({ host: "127.0.0.1", port });

  return {
    proxyServer: `socks5://127.0.0.1:${port}`,
    begin(captureId, onLimit = () => {}, upstream) {
      traffic?.end();
      const report = (refusal: RefusedConnection, isNew: boolean) => {
        if (isNew) log.debug({ captureId, ...refusal }, "refused a page's connection");
        onRefused?.(refusal);
      };
      traffic = createCaptureTraffic({ vet, limits, report, onLimit, connect, upstream });
    },
    refusals: () => traffic?.refusals() ?? [],
    hasConnected: () => traffic?.hasConnected ?? false,
    end: () => traffic?.end(),
    async close() {
      traffic?.end();
      unblock();
      if (!server.listening) return;
      const closed = once(server, "close");
      server.close();
      await closed;
    },
  };
}

/** The proxy's server; `current` returns the traffic of the running capture, if any. */
function listen(limits: EgressLimits, current: () => CaptureTraffic | undefined): Server {
  // Half-open, because one side's FIN is forwarded while the other side may still be sending.
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (browser) => {
    browser.on("error", () => {}); // the browser disconnected; without a listener the error would end the process
    const traffic = current();
    if (!traffic) return void browser.destroy();
    traffic.hold(browser);
    void tunnel(browser, traffic);
  });
  server.maxConnections = limits.socketsMax;
  server.on("drop", () => current()?.refuse({ host: "", port: 0, reason: "socket_limit" }));
  return server;
}

/** Timeout for the browser's request; a working browser sends it immediately. */
const requestTimeoutMs = 10_000;

/**
 * Serves one connection from the browser: reads its request, connects to the vetted host and relays bytes both ways. Never throws. If the
 * host is refused or unreachable, sends the corresponding reply and closes `browser`.
 */
async function tunnel(browser: Socket, traffic: CaptureTraffic): Promise<void> {
  const destination = await receiveDestination(browser, traffic);
  if (!destination) return;
  const { host, port } = destination;
  try {
    const origin = await traffic.connect(host, port);
    browser.write(reply("succeeded"));
    if (traffic.isEncryptedOnly) refusePlainText(browser, origin, () => traffic.refuse({ host, port, reason: "not_encrypted" }));
    relay(browser, origin, (bytes) => traffic.spend(bytes, host, port));
  } catch (error) {
    const reason = reasonOf(error);
    decline(browser, reply(isAsUnresolved(error) ? "hostUnreachable" : ((reason && replies[reason]) ?? "notAllowed")));
  }
}

/** Replies for failures to connect. Other reasons get `notAllowed`, or `hostUnreachable` if the name must appear nonexistent. */
const replies: Partial<Record<RefusedConnection["reason"], ReplyCode>> = {
  connection_refused: "connectionRefused",
  connect_timeout: "timeToLiveExpired",
  connection_failed: "generalFailure",
  proxy_unreachable: "generalFailure",
  proxy_timeout: "timeToLiveExpired",
  proxy_authentication: "generalFailure",
  proxy_refused: "generalFailure",
  proxy_invalid: "generalFailure",
  socket_limit: "generalFailure",
};

async function receiveDestination(browser: Socket, traffic: CaptureTraffic): Promise<Destination | undefined> {
  const timeout = setTimeout(() => browser.destroy(), requestTimeoutMs);
  try {
    return await receiveRequest(browser);
  } catch (error) {
    if (error instanceof ProtocolViolation) traffic.refuse({ host: "", port: 0, reason: "invalid_request" });
    decline(browser, error instanceof ProtocolViolation ? error.reply : undefined);
    return undefined;
  } finally {
    clearTimeout(timeout);
  }
}

function decline(browser: Socket, answer: Buffer | undefined): void {
  if (browser.destroyed) return;
  if (answer) browser.write(answer);
  browser.destroySoon();
}

/** First byte of a TLS connection: the record type `handshake` (RFC 8446, section 5.1). No HTTP request begins with it. */
const handshake = 22;

/** Checks the first byte that the browser sends, so it must be called before bytes are relayed. */
function refusePlainText(browser: Socket, origin: Socket, refuse: () => void): void {
  browser.once("data", ([first]: Buffer) => {
    if (first === handshake) return;
    origin.destroy();
    abortConnection(browser);
    refuse();
  });
}

function relay(browser: Socket, origin: Socket, spend: (bytes: number) => void): void {
  for (const [from, to] of [
    [browser, origin],
    [origin, browser],
  ] as const) {
    from.on("data", (chunk: Buffer) => spend(chunk.length));
    from.pipe(to);
    // Data received before an orderly close is still forwarded; an aborted connection is also aborted on the other side.
    from.once("close", (failed) => (failed ? abortConnection(to) : to.destroySoon()));
    if (from.destroyed) to.destroy();
  }
}
