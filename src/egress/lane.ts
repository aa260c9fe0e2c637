/** The only way out of one browser: a filtering SOCKS5 proxy on this machine, open while a capture runs. */

import { once } from "node:events";
import { type AddressInfo, createServer, type Server } from "node:net";
import type { Connect } from "./dial.ts";
import { createTraffic, type EgressLimits, type Refusal, type Traffic } from "./traffic.ts";
import { tunnel } from "./tunnel.ts";
import type { Vet } from "./vet.ts";

/** The part of pino's logger that is used here. */
interface Log {
  debug(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export interface Lane {
  /** `socks5://127.0.0.1:port`, for `--proxy-server`. */
  readonly proxyServer: string;
  /**
   * Opens the way for one capture and forgets what was refused to the one before, which is ended if it was not.
   * `onFlood` is called, and nothing gets out any more, when more connections fail than the limits allow.
   */
  begin(captureId: string, onFlood?: () => void): void;
  /** What the capture that runs, or else the last one, wanted and did not get: each once, a hundred at most. */
  refusals(): readonly Refusal[];
  /** Whether the browser has connected since `begin`: one that never does though it navigates has a network part that hangs. */
  begun(): boolean;
  /** Cuts every connection, the browser's and the outside's; nothing gets out until the next `begin`. */
  end(): void;
  /** Ends the capture and stops listening. */
  close(): Promise<void>;
}

interface LaneOptions {
  vet: Vet;
  log: Log;
  limits: EgressLimits;
  /** Called for every connection that a page did not get, repeated ones too; counts them. */
  onRefused?: (refusal: Refusal) => void;
  /** Opens sockets to vetted addresses; `net.connect` unless given. */
  connect?: Connect;
}

/** Listens on a port of its own, which no page may reach as a target. The caller closes it. */
export async function createLane({ vet, log, limits, onRefused, connect }: LaneOptions): Promise<Lane> {
  let traffic: Traffic | undefined;
  const current = () => (traffic?.ended === false ? traffic : undefined);
  const server = listen(limits, current);
  server.on("error", (error) => log.error({ err: error }, "a lane's listener failed"));
  await once(server.listen({ port: 0, host: "127.0.0.1" }), "listening");
  const { port } = server.address() as AddressInfo;
  const letIn = vet.keepOut({ host: "127.0.0.1", port });

  return {
    proxyServer: `socks5://127.0.0.1:${port}`,
    begin(captureId, onFlood = () => {}) {
      traffic?.end();
      const report = (refusal: Refusal, isNew: boolean) => {
        if (isNew) log.debug({ captureId, ...refusal }, "a page's connection was not made");
        onRefused?.(refusal);
      };
      traffic = createTraffic({ vet, limits, report, onFlood, connect });
    },
    refusals: () => traffic?.refusals() ?? [],
    begun: () => traffic?.begun ?? false,
    end: () => traffic?.end(),
    async close() {
      traffic?.end();
      letIn();
      if (!server.listening) return;
      const closed = once(server, "close");
      server.close();
      await closed;
    },
  };
}

/** The proxy's server; `current` is the traffic of the capture that runs, if one does. */
function listen(limits: EgressLimits, current: () => Traffic | undefined): Server {
  // Half-open, so that an end is passed on as what it is, and not before what the other side still has to say.
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (browser) => {
    browser.on("error", () => {}); // a browser that goes away is no failure, and without a listener it would end the process
    const traffic = current();
    if (!traffic) return void browser.destroy();
    traffic.hold(browser);
    void tunnel(browser, traffic);
  });
  server.maxConnections = limits.socketsMax;
  server.on("drop", () => current()?.refuse({ host: "", port: 0, reason: "socket_limit" }));
  return server;
}
