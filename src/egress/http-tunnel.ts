/** The client side of HTTP's CONNECT (RFC 9110, section 9.3.6). */

import type { Socket } from "node:net";
import { ConnectFailed } from "./dial.ts";
import { type Parsed, ProxyFailed, receiveMessage } from "./tunnel-handshake.ts";

/** Limit of the response, up to the empty line after its headers. */
const responseMax = 16 * 1024;
const endOfHeaders = "\r\n\r\n";

/**
 * Asks the proxy at the other end of `socket` for a tunnel. Redirects are not followed.
 * @param to its host is vetted, so it has no character that could end the line.
 * @throws {ProxyFailed} or, if the proxy could not reach the target, {ConnectFailed}.
 */
export async function openHttpTunnel(
  socket: Socket,
  { host, port }: { host: string; port: number },
  credentials: { user: string; password: string } | undefined,
): Promise<void> {
  const login = credentials && Buffer.from(`${credentials.user}:${credentials.password}`).toString("base64");
  const lines = [
    `CONNECT ${host}:${port} HTTP/1.1`,
    `Host: ${host}:${port}`,
    ...(login === undefined ? [] : [`Proxy-Authorization: Basic ${login}`]),
  ];
  socket.write(`${lines.join("\r\n")}${endOfHeaders}`);
  const status = await receiveMessage(socket, responseMax, readStatus);
  if (status >= 200 && status < 300) return;
  const cause = new Error(`it responded with status ${status}`);
  // tinyproxy sends 401 for a wrong password, and 407 for none.
  if (status === 407 || status === 401) throw new ProxyFailed("proxy_authentication", cause);
  if (status === 504) throw new ConnectFailed("connect_timeout", cause);
  if (status >= 500) throw new ConnectFailed("connection_failed", cause);
  throw new ProxyFailed("proxy_refused", cause);
}

/** The status of a response. Refusals count as soon as their first line has arrived. */
function readStatus(bytes: Buffer): Parsed<number> {
  const start = bytes.toString("latin1", 0, 13);
  if (!"HTTP/1.".startsWith(start.slice(0, 7))) throw new ProxyFailed("proxy_invalid", new Error("its response is not HTTP"));
  if (start.length < 13) return undefined;
  const [, status] = /^HTTP\/1\.[01] ([1-5]\d\d)[ \r]/.exec(start) ?? [];
  if (status === undefined) throw new ProxyFailed("proxy_invalid", new Error("its response is not HTTP"));
  if (!status.startsWith("2")) return { message: Number(status), length: 13 };
  const end = bytes.indexOf(endOfHeaders);
  return end < 0 ? undefined : { message: Number(status), length: end + endOfHeaders.length };
}
