/** Starts local origins and lanes for a test, and speaks to a lane the way a browser does. */

import { once } from "node:events";
import {
  createServer,
  type Server as HttpServer,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type RequestListener,
  request,
} from "node:http";
import { type AddressInfo, connect, createServer as createTcpServer, type Server, type ServerOpts, type Socket } from "node:net";
import type { TestContext } from "node:test";
import { setImmediate } from "node:timers/promises";
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
    limits: {
      bytesMax: 100_000_000,
      socketsMax: 50,
      connectTimeoutMs: 5_000,
      idleTimeoutMs: 30_000,
      refusalsMax: 3_000,
      refusalsPerSecondMax: 1_000,
      ...limits,
    },
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

export async function startOrigin(t: TestContext, answer: RequestListener): Promise<Origin & { server: HttpServer }> {
  const server = createServer(answer);
  return { ...(await startServer(t, server)), server };
}

/** An origin that speaks no http unless `talk` does. */
export async function startTcpOrigin(t: TestContext, talk: (socket: Socket) => void, options: ServerOpts = {}): Promise<Origin> {
  return startServer(t, createTcpServer(options, talk));
}

export async function startServer(t: TestContext, server: Server): Promise<Origin> {
  const sockets: Socket[] = [];
  server.on("connection", (socket: Socket) => {
    sockets.push(socket);
    socket.on("error", () => {});
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, connections: () => sockets.length, sockets };
}

export type Reply = "succeeded" | "failed" | "not allowed" | "host unreachable" | "refused" | "expired" | "closed" | `other ${number}`;

const replies: Record<number, Reply> = {
  0: "succeeded",
  1: "failed",
  2: "not allowed",
  4: "host unreachable",
  5: "refused",
  6: "expired",
};

/** What Chromium sends: the host is a name in every case, an IPv6 address without its brackets. */
export function requestFor(host: string, port: number): Buffer {
  const name = Buffer.from(host.replace(/^\[|\]$/g, ""), "latin1");
  return Buffer.from([5, 1, 0, 3, name.length, ...name, port >> 8, port & 255]);
}

export const greeting = Buffer.from([5, 1, 0]);

/** Asks the lane on `port` for a connection to `host`. The socket is paused, and may be half open. */
export async function openTunnel(
  t: { after(close: () => void): void },
  port: number,
  host: string,
  hostPort: number,
): Promise<{ reply: Reply; socket: Socket }> {
  const socket = connect({ host: "127.0.0.1", port, allowHalfOpen: true });
  t.after(() => void socket.destroy());
  socket.on("error", () => {});
  socket.write(greeting);
  const chosen = await take(socket, 2);
  if (!chosen) return { reply: "closed", socket };
  socket.write(requestFor(host, hostPort));
  const answer = await take(socket, 10);
  if (!answer) return { reply: "closed", socket };
  const code = answer[1] ?? -1;
  return { reply: replies[code] ?? `other ${code}`, socket };
}

/** The next `count` bytes, or undefined when the other side closes first. */
async function take(socket: Socket, count: number): Promise<Buffer | undefined> {
  const closed = new Promise<undefined>((resolve) => socket.once("close", () => resolve(undefined)).once("end", () => resolve(undefined)));
  const arrived = new Promise<Buffer>((resolve) => {
    const attempt = () => {
      const bytes: Buffer | null = socket.read(count);
      if (bytes?.length !== count) return;
      socket.off("readable", attempt);
      resolve(bytes);
    };
    socket.on("readable", attempt);
  });
  return Promise.race([arrived, closed]);
}

interface Ask {
  method?: string;
  headers?: OutgoingHttpHeaders;
  body?: string | Buffer;
}

/** Sends a request for `url` through the lane on `port`; rejects when no connection is made, or it closes without a whole answer. */
export async function ask(
  port: number,
  url: string,
  { method = "GET", headers, body }: Ask = {},
): Promise<IncomingMessage & { body: Buffer }> {
  const { hostname, port: urlPort, pathname, search, host } = new URL(url);
  const closing: (() => void)[] = [];
  try {
    const { reply, socket } = await openTunnel({ after: (close) => closing.push(close) }, port, hostname, Number(urlPort || 80));
    if (reply !== "succeeded") throw new Error(`the lane answers: ${reply}`);
    const outgoing = request({ createConnection: () => socket, path: pathname + search, method, headers: { Host: host, ...headers } });
    outgoing.on("error", () => {}); // also comes after an answer has begun, which then fails by itself
    outgoing.end(body);
    const [incoming] = (await once(outgoing, "response")) as [IncomingMessage];
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    return Object.assign(incoming, { body: Buffer.concat(chunks) });
  } finally {
    for (const close of closing) close();
  }
}

/**
 * Sends `first` to `port`, then each of `rest` when something was answered to the first, and returns all that comes back until the
 * other side closes.
 */
export async function exchange(port: number, first: string | Buffer, ...rest: Buffer[]): Promise<Buffer> {
  const socket = connect({ host: "127.0.0.1", port, noDelay: true });
  const received: Buffer[] = [];
  const closed = new Promise((resolve) => socket.once("close", resolve));
  const answered = new Promise((resolve) => socket.once("data", resolve));
  socket.on("data", (chunk: Buffer) => received.push(chunk));
  socket.on("error", () => {});
  socket.write(first);
  await Promise.race([answered, closed]);
  for (const piece of rest) {
    socket.write(piece);
    await setImmediate(); // the lane is in this process: it reads before the next piece is there
  }
  await closed;
  return Buffer.concat(received);
}
