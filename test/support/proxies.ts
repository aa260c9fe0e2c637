/** An HTTP proxy and a SOCKS5 proxy that do what they promise, for tests that connect through them. */

import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

export interface TestProxy {
  port: number;
  /** Destinations that clients asked for, as `host:port`. */
  asked: string[];
  /** Number of connections so far. */
  connections(): number;
  /** `http://127.0.0.1:port` or `socks5://…`, with the proxy's own user and password. */
  url: string;
}

interface ProxyOptions {
  user?: string;
  password?: string;
  /** Opens the connection to a destination. Default: from 127.0.0.2, so that servers can tell the proxy from this service. */
  dial?: (host: string, port: number) => Socket;
}

export const proxyAddress = "127.0.0.2";

const dialFrom = (host: string, port: number) =>
  connect({ host, port, ...(/^[\d.]+$/.test(host) ? { localAddress: proxyAddress } : {}), allowHalfOpen: true });

/** `t` closes it when the test ends. */
export async function startProxy(
  t: { after(close: () => unknown): void },
  protocol: "http" | "socks5",
  { user = "", password = "", dial = dialFrom }: ProxyOptions = {},
): Promise<TestProxy> {
  const asked: string[] = [];
  const sockets = new Set<Socket>();
  let count = 0;
  const track = (socket: Socket) => {
    sockets.add(socket);
    socket.on("error", () => {}).on("close", () => sockets.delete(socket));
    return socket;
  };
  const open = async (host: string, port: number) => {
    asked.push(`${host}:${port}`);
    const socket = track(dial(host, port));
    await once(socket, "connect");
    return socket;
  };
  const serve = protocol === "http" ? serveHttp : serveSocks;
  const server = createServer({ allowHalfOpen: true }, (client) => {
    count += 1;
    serve(track(client), { user, password, open }).catch(() => client.destroy());
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const login = user === "" ? "" : `${encodeURIComponent(user)}:${encodeURIComponent(password)}@`;
  return { port, asked, connections: () => count, url: `${protocol}://${login}127.0.0.1:${port}` };
}

interface Serving {
  user: string;
  password: string;
  open(host: string, port: number): Promise<Socket>;
}

async function serveHttp(client: Socket, { user, password, open }: Serving): Promise<void> {
  const head = await readUntil(client, (bytes) => {
    const end = bytes.indexOf("\r\n\r\n");
    return end < 0 ? undefined : end + 4;
  });
  const text = head.toString("latin1");
  const [, host = "", port] = /^CONNECT (\S+):(\d+) HTTP\/1\.1\r\n/.exec(text) ?? [];
  const login = /\r\nproxy-authorization: basic (\S+)\r\n/i.exec(text)?.[1] ?? "";
  if (user !== "" && Buffer.from(login, "base64").toString() !== `${user}:${password}`)
    return void client.end("HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic\r\nContent-Length: 0\r\n\r\n");
  if (host === "") return void client.end("HTTP/1.1 405 Method Not Allowed\r\nContent-Length: 0\r\n\r\n");
  const target = await open(host.replace(/^\[|\]$/g, ""), Number(port)).catch(() => undefined);
  if (!target) return void client.end("HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n");
  client.write("HTTP/1.1 200 Connection established\r\n\r\n");
  join(client, target);
}

async function serveSocks(client: Socket, { user, password, open }: Serving): Promise<void> {
  const greeting = await readUntil(client, ([, count]) => (count === undefined ? undefined : 2 + count));
  const method = user === "" ? 0 : 2;
  if (!greeting.subarray(2).includes(method)) return void client.end(Buffer.from([5, 0xff]));
  client.write(Buffer.from([5, method]));
  if (method === 2) {
    const login = await readUntil(client, (bytes) => {
      const [, name] = bytes;
      const length = name === undefined ? undefined : bytes[2 + name];
      return name === undefined || length === undefined ? undefined : 3 + name + length;
    });
    const name = login[1] ?? 0;
    const isRight = login.toString("utf8", 2, 2 + name) === user && login.toString("utf8", 3 + name) === password;
    client.write(Buffer.from([1, isRight ? 0 : 1]));
    if (!isRight) return void client.end();
  }
  const request = await readUntil(client, ([, , , type, length]) => {
    if (type === undefined || length === undefined) return undefined;
    return { 1: 10, 3: 7 + length, 4: 22 }[type];
  });
  const target = await open(hostOf(request), request.readUInt16BE(request.length - 2)).catch(() => undefined);
  if (!target) return void client.end(Buffer.from([5, 5, 0, 1, 0, 0, 0, 0, 0, 0]));
  client.write(Buffer.from([5, 0, 0, 1, 0, 0, 0, 0, 0, 0]));
  join(client, target);
}

function hostOf(request: Buffer): string {
  if (request[3] === 1) return request.subarray(4, 8).join(".");
  if (request[3] === 3) return request.toString("latin1", 5, request.length - 2);
  return Array.from({ length: 8 }, (_, index) => request.readUInt16BE(4 + index * 2).toString(16)).join(":");
}

function join(one: Socket, other: Socket): void {
  one.pipe(other);
  other.pipe(one);
  one.on("close", () => other.destroy());
  other.on("close", () => one.destroySoon());
}

/** The bytes up to the length that `lengthOf` returns; it returns undefined until it is known. Further bytes stay in the socket. */
async function readUntil(socket: Socket, lengthOf: (bytes: Buffer) => number | undefined): Promise<Buffer> {
  let bytes: Buffer = Buffer.alloc(0);
  for (;;) {
    const length = bytes.length === 0 ? undefined : lengthOf(bytes);
    if (length && bytes.length >= length) {
      if (bytes.length > length) socket.unshift(bytes.subarray(length));
      return bytes.subarray(0, length);
    }
    const chunk: Buffer | null = socket.read();
    if (chunk) bytes = Buffer.concat([bytes, chunk]);
    else await once(socket, "readable");
    if (socket.destroyed || socket.readableEnded) throw new Error("the client disconnected");
  }
}
