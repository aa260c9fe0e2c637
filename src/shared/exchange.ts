/** One HTTP request of the service itself, over a connection of its own: for webhooks and for the buckets of accounts. */

import type { ClientRequest, IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { pipeline, Readable } from "node:stream";
import { AppError } from "./errors.ts";
import { httpRequest } from "./node-http.ts";

export interface Sent {
  method: string;
  /** Includes `host`, and the length of the body. */
  headers: Record<string, string>;
  body?: string | Uint8Array | Readable | undefined;
}

/**
 * Sends a request, and resolves with the response once its headers have arrived. Doesn't follow redirects. The caller destroys the socket.
 * @param path with the query.
 * @throws the error that prevented a response, which may be that of a streamed body; the signal's reason if it aborts.
 */
export function exchange(socket: Socket, path: string, { method, headers, body }: Sent, signal: AbortSignal): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const request = httpRequest({
      createConnection: () => socket,
      method,
      path,
      setHost: false,
      headers: { ...headers, connection: "close" },
      signal,
    });
    request.on("error", reject); // stays attached, because errors may occur when the body is no longer wanted
    limitInformational(request, (most) => `The server sent more than ${most} informational responses (1xx) instead of a final one.`);
    request.once("upgrade", () => reject(new Error("switched protocols")));
    request.once("close", () => reject(new Error("closed without a response")));
    request.once("response", resolve);
    if (body instanceof Readable) pipeline(body, request, (error) => error && reject(error));
    else request.end(body);
  });
}

/** More than servers have reason to send: one for the body, a few with early hints. */
const informationalMax = 8;

/**
 * Destroys the request once its server has sent more than eight informational responses (1xx, RFC 9110, 15.2): their number has no limit of
 * its own, and a flood of them keeps the event loop busy. The error is an {@link AppError} `host_returned_error`.
 * @param messageOf its message. @param messageOf.most the limit.
 */
export function limitInformational(request: ClientRequest, messageOf: (most: number) => string): void {
  let count = 0;
  // Emitted for 100 as well, in addition to `continue`.
  request.on("information", () => {
    count += 1;
    if (count > informationalMax) request.destroy(new AppError("host_returned_error", { message: messageOf(informationalMax) }));
  });
}

/** The first `bytesMax` bytes of a response's body. `isCut`: whether it was longer, or ended early. */
export async function readStart(response: IncomingMessage, bytesMax: number): Promise<{ bytes: Buffer; isCut: boolean }> {
  const chunks: Buffer[] = [];
  let missing = bytesMax;
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
  return { bytes: Buffer.concat(chunks), isCut };
}
