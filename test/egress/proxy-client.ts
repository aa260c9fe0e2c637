/** Starts local origins and lanes for a test, and speaks to a lane the way a browser does. */

import { once } from "node:events";
import { Agent, createServer, type IncomingMessage, type OutgoingHttpHeaders, type RequestListener, request, type Server } from "node:http";
import { type AddressInfo, connect, createServer as createTcpServer, type Socket } from "node:net";
import type { TestContext } from "node:test";
import { parseAllowedHosts } from "../../src/egress/allowed-hosts.ts";
import type { Connect } from "../../src/egress/dial.ts";
import { createLane } from "../../src/egress/lane.ts";
import type { Place } from "../../src/egress/own-infrastructure.ts";
import type { EgressLimits, Refusal } from "../../src/egress/traffic.ts";
import { createVet } from "../../src/egress/vet.ts";

interface LaneSetUp {
  allowed?: string;
  infrastructure?: Place[];
  limits?: Partial<EgressLimits>;
  connect?: Connect;
  resolve?: (host: string) => Promise<string[]>;
}

/** A lane that closes with the test; no capture has begun. */
export async function openLane(t: TestContext, { allowed = "", infrastructure = [], limits = {}, connect: dial, resolve }: LaneSetUp = {}) {
  const reported: Refusal[] = [];
  const vet = createVet({ allowedHosts: parseAllowedHosts(allowed), infrastructure, resolve: resolve ?? (async () => []) });
  const lane = await createLane({
    vet,
    log: { debug: () => {}, error: () => {} },
    limits: { bytesMax: 100_000_000, socketsMax: 50, connectTimeoutMs: 5_000, idleTimeoutMs: 30_000, ...limits },
    onRefused: (refusal) => reported.push(refusal),
    connect: dial,
  });
  t.after(() => lane.close());
  return { ...lane, vet, reported, port: Number(new URL(lane.proxyServer).port) };
}

interface Origin {
  port: number;
  /** Connections that were ever made to it. */
  connections(): number;
  sockets: Socket[];
}

export async function startOrigin(t: TestContext, answer: RequestListener): Promise<Origin> {
  return start(t, createServer(answer));
}

/** An origin that speaks no http unless `talk` does. */
export async function startTcpOrigin(t: TestContext, talk: (socket: Socket) => void): Promise<Origin> {
  return start(t, createTcpServer(talk));
}

async function start(t: TestContext, server: Server | ReturnType<typeof createTcpServer>): Promise<Origin> {
  const sockets: Socket[] = [];
  server.on("connection", (socket: Socket) => {
    sockets.push(socket);
    socket.on("error", () => {});
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  t.after(async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, connections: () => sockets.length, sockets };
}

interface Ask {
  method?: string;
  headers?: OutgoingHttpHeaders | string[];
  body?: string | Buffer;
  agent?: Agent;
}

/** Sends a request for `url` to the proxy on `port`; rejects when the connection closes without an answer. */
export async function ask(
  port: number,
  url: string,
  { method = "GET", headers, body, agent }: Ask = {},
): Promise<IncomingMessage & { body: Buffer }> {
  const own = new Agent();
  const outgoing = request({
    host: "127.0.0.1",
    port,
    path: url,
    method,
    headers: headers ?? { Host: new URL(url).host },
    agent: agent ?? own,
  });
  outgoing.end(body);
  try {
    const [incoming] = (await once(outgoing, "response")) as [IncomingMessage];
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    return Object.assign(incoming, { body: Buffer.concat(chunks) });
  } finally {
    own.destroy();
  }
}

/** Sends bytes to `port` and returns all that comes back until the other side closes. */
export async function exchange(port: number, bytes: string | Buffer): Promise<string> {
  const socket = connect({ host: "127.0.0.1", port });
  const received: Buffer[] = [];
  socket.on("data", (chunk: Buffer) => received.push(chunk));
  socket.on("error", () => {});
  socket.write(bytes);
  await new Promise((resolve) => socket.once("close", resolve));
  return Buffer.concat(received).toString("latin1");
}

/** Opens a tunnel and returns its status line and socket; the socket is paused. */
export async function openTunnel(t: TestContext, port: number, authority: string): Promise<{ status: string; socket: Socket }> {
  const socket = connect({ host: "127.0.0.1", port });
  t.after(() => void socket.destroy());
  socket.on("error", () => {});
  socket.write(`CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n\r\n`);
  const [first] = (await once(socket, "data")) as [Buffer];
  socket.pause();
  return { status: first.toString("latin1").split("\r\n")[0] ?? "", socket };
}
