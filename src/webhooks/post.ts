/** Sends one delivery request and reads the response. */

import type { IncomingHttpHeaders } from "node:http";
import { exchange, readStart } from "../shared/exchange.ts";
import { type ConnectTo, openConnection } from "../shared/open-connection.ts";

export interface ReceiverResponse {
  status: number;
  /** Only headers that help with debugging. */
  headers: Record<string, string>;
  body: string;
  /** Whether the body was longer than the limit, or ended early. */
  isCut: boolean;
}

const bodyBytesMax = 64 * 1024;
const keptHeaders = ["content-type", "content-length", "date", "location", "retry-after", "server", "x-request-id"] as const;
const headerCharactersMax = 500;

/**
 * Posts `body` over a new connection and reads the first 64 KB of the response; doesn't follow redirects. The status counts even if the
 * body is still incomplete when `signal` aborts.
 * @throws the error that prevented a response.
 */
export async function post(
  url: URL,
  headers: Record<string, string>,
  body: string,
  { connect, signal }: { connect: ConnectTo; signal: AbortSignal },
): Promise<ReceiverResponse> {
  const socket = await openConnection(url, connect, signal);
  try {
    const sent = { method: "POST", headers: { host: url.host, ...headers, "content-length": String(Buffer.byteLength(body)) }, body };
    const response = await exchange(socket, url.pathname + url.search, sent, signal);
    const { bytes, isCut } = await readStart(response, bodyBytesMax);
    return {
      status: response.statusCode ?? 0,
      headers: pickHeaders(response.headers),
      body: bytes.toString("utf8").replaceAll("\0", "\ufffd"), // PostgreSQL can't store NUL
      isCut,
    };
  } finally {
    socket.destroy();
  }
}

function pickHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  const kept = keptHeaders.flatMap((name) => {
    const value = headers[name];
    return value === undefined ? [] : [[name, String(value).slice(0, headerCharactersMax)]];
  });
  return Object.fromEntries(kept);
}
