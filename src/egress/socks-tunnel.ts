/** The client side of SOCKS5 (RFC 1928), with a user name and password (RFC 1929) or none. */

import { isIP, type Socket } from "node:net";
import { canonicalAddress } from "./address-policy.ts";
import { ConnectFailed, type ConnectFailure } from "./dial.ts";
import { type Parsed, ProxyFailed, receiveMessage } from "./tunnel-handshake.ts";

const version = 5;
const methods = { none: 0, password: 2, noneAcceptable: 0xff } as const;
const connectCommand = 1;
const addressTypes = { ipv4: 1, name: 3, ipv6: 4 } as const;
const passwordVersion = 1;
/** Length of a reply with the longest possible name. */
const replyMax = 262;
const nameMax = 255;

/** Replies that are about the target (RFC 1928, section 6); with all others the proxy refuses. */
const targetFailures: Record<number, ConnectFailure> = {
  3: "connection_failed",
  4: "connection_failed",
  5: "connection_refused",
  6: "connect_timeout",
};

/**
 * Asks the proxy at the other end of `socket` for a tunnel. A name is sent as a name.
 * @throws {ProxyFailed} or, if the proxy could not reach the target, {ConnectFailed}.
 */
export async function openSocksTunnel(
  socket: Socket,
  { host, port }: { host: string; port: number },
  credentials: { user: string; password: string } | undefined,
): Promise<void> {
  const offered = credentials ? [methods.none, methods.password] : [methods.none];
  socket.write(Buffer.from([version, offered.length, ...offered]));
  const method = await receiveMessage(socket, 2, readMethod);
  if (method === methods.noneAcceptable) throw new ProxyFailed("proxy_authentication", new Error("it accepts no offered method"));
  if (method === methods.password && credentials) await authenticate(socket, credentials);
  else if (method !== methods.none) throw invalid("it chose a method that was not offered");
  socket.write(requestFor(host, port));
  const code = await receiveMessage(socket, replyMax, readReply);
  if (code === 0) return;
  const cause = new Error(`it replied with code ${code}`);
  const reason = targetFailures[code];
  throw reason ? new ConnectFailed(reason, cause) : new ProxyFailed("proxy_refused", cause);
}

async function authenticate(socket: Socket, { user, password }: { user: string; password: string }): Promise<void> {
  const [name, secret] = [Buffer.from(user), Buffer.from(password)];
  socket.write(Buffer.concat([Buffer.from([passwordVersion, name.length]), name, Buffer.from([secret.length]), secret]));
  const status = await receiveMessage(socket, 2, ([, received]) => (received === undefined ? undefined : { message: received, length: 2 }));
  if (status !== 0) throw new ProxyFailed("proxy_authentication", new Error("it refused the user name and password"));
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
  if (received !== version) throw invalid("its response is not SOCKS5");
  return method === undefined ? undefined : { message: method, length: 2 };
}

/** The reply's code. A refusal counts as soon as its code has arrived, as some proxies send no more. */
function readReply(bytes: Buffer): Parsed<number> {
  const [received, code, , type, nameLength] = bytes;
  if (received !== version) throw invalid("its reply is not SOCKS5");
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
  throw invalid("its reply has an unknown address type");
}

const invalid = (what: string) => new ProxyFailed("proxy_invalid", new Error(what));
