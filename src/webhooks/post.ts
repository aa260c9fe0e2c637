/** Sends one request of a delivery and reads its response. */

import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { httpRequest } from "../shared/node-http.ts";
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
    const response = await exchange(socket, url, headers, body, signal);
    const { body: text, isCut } = await readBody(response);
    // A body without a length ends with its connection, even if the connection is aborted.
    return { status: response.statusCode ?? 0, headers: pickHeaders(response.headers), body: text, isCut: isCut || signal.aborted };
  } finally {
    socket.destroy();
  }
}

/** Resolves with the response once its headers have arrived. */
function exchange(socket: Socket, url: URL, headers: Record<string, string>, body: string, signal: AbortSignal): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const request = httpRequest({
      createConnection: () => socket,
      method: "POST",
      path: url.pathname + url.search,
      setHost: false,
      headers: { host: url.host, ...headers, "content-length": Buffer.byteLength(body), connection: "close" },
      signal,
    });
    request.on("error", reject); // stays attached, because errors may occur when the body is no longer wanted
    request.once("upgrade", () => reject(new Error("switched protocols")));
    request.once("close", () => reject(new Error("closed without a response")));
    request.once("response", resolve);
    request.end(body);
  });
}

async function readBody(response: IncomingMessage): Promise<Pick<ReceiverResponse, "body" | "isCut">> {
  const chunks: Buffer[] = [];
  let missing = bodyBytesMax;
  let isCut = false;
  try {
    for await (const chunk of response) {
      chunks.push(chunk.subarray(0, missing));
      missing -= chunk.length;
      isCut = missing < 0;
      if (isCut) break;
    }
  } catch {
    isCut = true;
  }
  // PostgreSQL can't store NUL.
  return { body: Buffer.concat(chunks).toString("utf8").replaceAll("\0", "\ufffd"), isCut };
}

function pickHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  const kept = keptHeaders.flatMap((name) => {
    const value = headers[name];
    return value === undefined ? [] : [[name, String(value).slice(0, headerCharactersMax)]];
  });
  return Object.fromEntries(kept);
}
