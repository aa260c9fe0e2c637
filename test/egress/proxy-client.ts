/** Starts local origins and proxies for tests, and a SOCKS5 client that behaves like a browser's. */

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
import { parseAllowedHosts } from "../../src/egress/address-policy.ts";
import type { OpenSocket } from "../../src/egress/dial.ts";
import type { ServiceEndpoint } from "../../src/egress/own-infrastructure.ts";
import { createEgressProxy } from "../../src/egress/proxy.ts";
import type { EgressLimits, RefusedConnection } from "../../src/egress/traffic.ts";
import { createVet } from "../../src/egress/vet.ts";

interface ProxySetUp {
  allowed?: string;
  infrastructure?: ServiceEndpoint[];
  limits?: Partial<EgressLimits>;
  connect?: OpenSocket;
  resolve?: (host: string) => Promise<string[]>;
}

/** A proxy without a running capture. `t` closes it when the test ends. */
export async function openProxy(
  t: TestContext,
  { allowed = "", infrastructure = [], limits = {}, connect: dial, resolve }: ProxySetUp = {},
) {
  const reported: RefusedConnection[] = [];
  const vet = createVet({ allowedHosts: parseAllowedHosts(allowed), infrastructure, resolve: resolve ?? (async () => []) });
  const proxy = await createEgressProxy({
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
  t.after(() => proxy.close());
  return { ...proxy, vet, reported, port: Number(new URL(proxy.proxyServer).port) };
}

interface Origin {
  port: number;
  /** Number of connections accepted so far. */
  connections(): number;
  sockets: Socket[];
}

export async function startOrigin(t: TestContext, answer: RequestListener): Promise<Origin & { server: HttpServer }> {
  const server = createServer(answer);
  return { ...(await startServer(t, server)), server };
}

/** A plain TCP server. */
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

/** A request as Chromium sends it: the host is always a name, with IPv6 addresses without brackets. */
export function requestFor(host: string, port: number): Buffer {
  const name = Buffer.from(host.replace(/^\[|\]$/g, ""), "latin1");
  return Buffer.from([5, 1, 0, 3, name.length, ...name, port >> 8, port & 255]);
}

export const greeting = Buffer.from([5, 1, 0]);

/** Requests a connection to `host` from the proxy on `port`. The socket is paused and may be half-open. */
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
  const chosen = await read(socket, 2);
  if (!chosen) return { reply: "closed", socket };
  socket.write(requestFor(host, hostPort));
  const answer = await read(socket, 10);
  if (!answer) return { reply: "closed", socket };
  const code = answer[1] ?? -1;
  return { reply: replies[code] ?? `other ${code}`, socket };
}

/** The next `count` bytes, or undefined if the peer closes first. */
async function read(socket: Socket, count: number): Promise<Buffer | undefined> {
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

interface RequestParts {
  method?: string;
  headers?: OutgoingHttpHeaders;
  body?: string | Buffer;
}

/** Sends an HTTP request through the proxy on `port`. Rejects if there is no connection or no complete response. */
export async function fetchThrough(
  port: number,
  url: string,
  { method = "GET", headers, body }: RequestParts = {},
): Promise<IncomingMessage & { body: Buffer }> {
  const { hostname, port: urlPort, pathname, search, host } = new URL(url);
  const closing: (() => void)[] = [];
  try {
    const { reply, socket } = await openTunnel({ after: (close) => closing.push(close) }, port, hostname, Number(urlPort || 80));
    if (reply !== "succeeded") throw new Error(`the proxy replied ${reply}`);
    const outgoing = request({ createConnection: () => socket, path: pathname + search, method, headers: { Host: host, ...headers } });
    outgoing.on("error", () => {}); // after the response has started, reading it fails instead
    outgoing.end(body);
    const [incoming] = (await once(outgoing, "response")) as [IncomingMessage];
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    return Object.assign(incoming, { body: Buffer.concat(chunks) });
  } finally {
    for (const close of closing) close();
  }
}

/** Sends `first` to `port`, then `rest` once the peer has replied, and returns everything received until the peer closes. */
export async function exchange(port: number, first: string | Buffer, ...rest: Buffer[]): Promise<Buffer> {
  const socket = connect({ host: "127.0.0.1", port, noDelay: true });
  const received: Buffer[] = [];
  const closed = new Promise((resolve) => socket.once("close", resolve));
  const answered = new Promise((resolve) => socket.once("data", resolve));
  socket.on("data", (chunk: Buffer) => received.push(chunk));
  socket.on("error", () => {});
  socket.write(first);
  await Promise.race([answered, closed]);
  for (const chunk of rest) {
    socket.write(chunk);
    await setImmediate(); // the proxy runs in this process: it reads before the next chunk is written
  }
  await closed;
  return Buffer.concat(received);
}
