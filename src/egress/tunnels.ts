/** The client side of HTTP CONNECT and SOCKS5. Proxies may be slow, broken or hostile, so the length of their messages is bounded. */

import { isIP, type Socket } from "node:net";
import { canonicalAddress } from "./address-policy.ts";
import { ConnectFailed, type ConnectFailure } from "./dial.ts";

export type ProxyFailure = "proxy_unreachable" | "proxy_timeout" | "proxy_authentication" | "proxy_refused" | "proxy_invalid";

const messages: Record<ProxyFailure, string> = {
  proxy_unreachable: "the proxy can't be reached",
  proxy_timeout: "the proxy didn't connect in time",
  proxy_authentication: "the proxy refuses the user name and password",
  proxy_refused: "the proxy refuses to connect to the target",
  proxy_invalid: "the proxy closed the connection, or does not speak the protocol in its URL",
};

/** The proxy between this service and the target failed. The message contains neither the proxy's address nor its credentials. */
export class ProxyFailed extends Error {
  override readonly name = "ProxyFailed";
  readonly reason: ProxyFailure;

  constructor(reason: ProxyFailure, cause: unknown) {
    super(messages[reason], { cause });
    this.reason = reason;
  }
}

/** A message and its length in bytes; undefined until it is complete. */
type Parsed<T> = { message: T; length: number } | undefined;

/**
 * Receives one message, in any number of chunks; bytes after it stay in the socket. Has no timeout; the caller can destroy the socket.
 * @param max maximum length of the message in bytes.
 * @throws {ProxyFailed} if the message is longer, or if the proxy disconnects; any error that `parse` throws.
 */
function receiveMessage<T>(socket: Socket, max: number, parse: (bytes: Buffer) => Parsed<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    let bytes: Buffer = Buffer.alloc(0);
    const stop = () => void socket.off("data", onData).off("end", onEnd).off("close", onEnd).off("error", onError).pause();
    const fail = (error: unknown) => {
      stop();
      reject(error);
    };
    const onEnd = () => fail(new ProxyFailed("proxy_invalid", new Error("the proxy closed the connection")));
    const onError = (error: Error) => fail(new ProxyFailed("proxy_invalid", error));
    const onData = (chunk: Buffer) => {
      bytes = bytes.length === 0 ? chunk : Buffer.concat([bytes, chunk]);
      try {
        const parsed = parse(bytes);
        if (parsed && parsed.length <= max) {
          stop();
          if (bytes.length > parsed.length) socket.unshift(bytes.subarray(parsed.length));
          return resolve(parsed.message);
        }
        if (parsed || bytes.length >= max) fail(new ProxyFailed("proxy_invalid", new Error("the proxy's response is too long")));
      } catch (error) {
        fail(error);
      }
    };
    if (socket.destroyed) return onEnd();
    socket.on("data", onData).on("end", onEnd).on("close", onEnd).on("error", onError).resume();
  });
}

interface Target {
  host: string;
  port: number;
}

interface Credentials {
  user: string;
  password: string;
}

/** Maximum length of a response to CONNECT in bytes, up to the empty line after its headers. */
const responseMax = 16 * 1024;
const endOfHeaders = "\r\n\r\n";

/**
 * Asks an HTTP proxy at the other end of `socket` for a tunnel, with CONNECT (RFC 9110, section 9.3.6). Redirects are not followed.
 * @param target vetted, so the host has no character that could end the line.
 * @throws {ProxyFailed} or, if the proxy could not reach the target, {ConnectFailed}.
 */
export async function openHttpTunnel(socket: Socket, { host, port }: Target, credentials: Credentials | undefined): Promise<void> {
  const login = credentials && Buffer.from(`${credentials.user}:${credentials.password}`).toString("base64");
  const lines = [
    `CONNECT ${host}:${port} HTTP/1.1`,
    `Host: ${host}:${port}`,
    ...(login === undefined ? [] : [`Proxy-Authorization: Basic ${login}`]),
  ];
  socket.write(`${lines.join("\r\n")}${endOfHeaders}`);
  const status = await receiveMessage(socket, responseMax, readStatus);
  if (status >= 200 && status < 300) return;
  const cause = new Error(`the proxy responded with status ${status}`);
  // tinyproxy sends 401 for a wrong password, and 407 for none.
  if (status === 407 || status === 401) throw new ProxyFailed("proxy_authentication", cause);
  if (status === 504) throw new ConnectFailed("connect_timeout", cause);
  if (status >= 500) throw new ConnectFailed("connection_failed", cause);
  throw new ProxyFailed("proxy_refused", cause);
}

/** The status of a response. A refusal is recognized as soon as its status has arrived. */
function readStatus(bytes: Buffer): Parsed<number> {
  const start = bytes.toString("latin1", 0, 13);
  if (!"HTTP/1.".startsWith(start.slice(0, 7))) throw invalid("the proxy's response is not HTTP");
  if (start.length < 13) return undefined;
  const [, status] = /^HTTP\/1\.[01] ([1-5]\d\d)[ \r]/.exec(start) ?? [];
  if (status === undefined) throw invalid("the proxy's response is not HTTP");
  if (!status.startsWith("2")) return { message: Number(status), length: 13 };
  const end = bytes.indexOf(endOfHeaders);
  return end < 0 ? undefined : { message: Number(status), length: end + endOfHeaders.length };
}

const version = 5;
const methods = { none: 0, password: 2, noneAcceptable: 0xff } as const;
const connectCommand = 1;
const addressTypes = { ipv4: 1, name: 3, ipv6: 4 } as const;
const passwordVersion = 1;
/** Length in bytes of a reply with the longest possible name. */
const replyMax = 262;
const nameMax = 255;

/** Reply codes for failures to reach the target (RFC 1928, section 6); all others mean that the proxy refused. */
const targetFailures: Record<number, ConnectFailure> = {
  3: "connection_failed",
  4: "connection_failed",
  5: "connection_refused",
  6: "connect_timeout",
};

/**
 * Asks a SOCKS5 proxy at the other end of `socket` for a tunnel (RFC 1928), with a user name and password (RFC 1929) or none. Names are
 * sent unresolved.
 * @throws {ProxyFailed} or, if the proxy could not reach the target, {ConnectFailed}.
 */
export async function openSocksTunnel(socket: Socket, { host, port }: Target, credentials: Credentials | undefined): Promise<void> {
  const offered = credentials ? [methods.none, methods.password] : [methods.none];
  socket.write(Buffer.from([version, offered.length, ...offered]));
  const method = await receiveMessage(socket, 2, readMethod);
  if (method === methods.noneAcceptable)
    throw new ProxyFailed("proxy_authentication", new Error("the proxy accepts none of the offered methods"));
  if (method === methods.password && credentials) await authenticate(socket, credentials);
  else if (method !== methods.none) throw invalid("the proxy chose a method that was not offered");
  socket.write(requestFor(host, port));
  const code = await receiveMessage(socket, replyMax, readReply);
  if (code === 0) return;
  const cause = new Error(`the proxy replied with code ${code}`);
  const reason = targetFailures[code];
  throw reason ? new ConnectFailed(reason, cause) : new ProxyFailed("proxy_refused", cause);
}

async function authenticate(socket: Socket, { user, password }: Credentials): Promise<void> {
  const [name, secret] = [Buffer.from(user), Buffer.from(password)];
  socket.write(Buffer.concat([Buffer.from([passwordVersion, name.length]), name, Buffer.from([secret.length]), secret]));
  const status = await receiveMessage(socket, 2, ([, received]) => (received === undefined ? undefined : { message: received, length: 2 }));
  if (status !== 0) throw new ProxyFailed("proxy_authentication", new Error("the proxy refused the user name and password"));
}

function requestFor(host: string, port: number): Buffer {
  return Buffer.concat([Buffer.from([version, connectCommand, 0]), addressOf(host), Buffer.from([port >> 8, port & 255])]);
}

function addressOf(host: string): Buffer {
  const literal = host.replace(/^\[|\]$/g, "");
  const family = isIP(literal);
  if (family === 4) return Buffer.from([addressTypes.ipv4, ...literal.split(".").map(Number)]);
  if (family === 6) return Buffer.concat([Buffer.from([addressTypes.ipv6]), ipv6Bytes(literal)]);
  const name = Buffer.from(host, "latin1");
  if (name.length > nameMax) throw new ConnectFailed("connection_failed", new Error("the name is too long"));
  return Buffer.concat([Buffer.from([addressTypes.name, name.length]), name]);
}

function ipv6Bytes(ip: string): Buffer {
  const [head = "", tail] = canonicalAddress(ip).split("::");
  const groups = (text: string | undefined) => (text ? text.split(":") : []);
  const [first, last] = [groups(head), groups(tail)];
  const all = [...first, ...Array(8 - first.length - last.length).fill("0"), ...last];
  return Buffer.from(all.map((group) => group.padStart(4, "0")).join(""), "hex");
}

function readMethod([received, method]: Buffer): Parsed<number> {
  if (received !== version) throw invalid("the proxy's response is not SOCKS5");
  return method === undefined ? undefined : { message: method, length: 2 };
}

/** The reply's code. A refusal is recognized as soon as its code has arrived, because some proxies send nothing after it. */
function readReply(bytes: Buffer): Parsed<number> {
  const [received, code, , type, nameLength] = bytes;
  if (received !== version) throw invalid("the proxy's reply is not SOCKS5");
  if (code === undefined) return undefined;
  if (code !== 0) return { message: code, length: 2 };
  if (type === undefined || nameLength === undefined) return undefined;
  const length = 6 + addressLength(type, nameLength);
  return bytes.length < length ? undefined : { message: code, length };
}

function addressLength(type: number, nameLength: number): number {
  if (type === addressTypes.ipv4) return 4;
  if (type === addressTypes.ipv6) return 16;
  if (type === addressTypes.name) return 1 + nameLength;
  throw invalid("the proxy's reply has an unknown address type");
}

const invalid = (what: string) => new ProxyFailed("proxy_invalid", new Error(what));
