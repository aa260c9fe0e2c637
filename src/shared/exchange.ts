/** Makes the service's own HTTP requests, each over its own connection: for webhooks, accounts' buckets, sitemaps and robots.txt. */

import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { pipeline, Readable } from "node:stream";
import { onAbort } from "./deadline.ts";
import { AppError } from "./errors.ts";
import { httpRequest } from "./node-http.ts";

export interface Sent {
  method: string;
  /** Includes `host`, and the length of the body. */
  headers: Record<string, string>;
  body?: string | Uint8Array | Readable | undefined;
}

/**
 * Maximum number of informational responses (1xx) before the final one: HTTP sets no limit, and a flood would keep the event loop busy.
 * Servers normally send at most one 100 (Continue) and a few 103s (Early Hints).
 */
export const informationalMax = 8;
const tooManyInformational = `The server sent more than ${informationalMax} informational responses (1xx) instead of a final one.`;
const closed = "The connection was closed before a response was received.";

/**
 * Sends a request, and resolves with the response once its headers have arrived. Doesn't follow redirects. The caller destroys the socket.
 * @param path includes the query.
 * @throws {AppError} `connection_failed` if the socket closes without another error; `host_returned_error` after more than
 *   `informationalMax` informational responses. Also throws any other error that prevented a response, such as an error with the code
 *   `HPE_…` if the response isn't valid HTTP/1 or isn't final, a streamed body's error, or an `AbortError` if the signal aborts.
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
    request.once("socket", () => socket.resume()); // a socket tunneled through a proxy starts paused
    request.on("error", reject); // stays attached, because errors may occur when the body is no longer wanted
    let informational = 0;
    // Also emitted for 100, in addition to `continue`.
    request.on("information", () => {
      informational += 1;
      if (informational > informationalMax) request.destroy(new AppError("host_returned_error", { message: tooManyInformational }));
    });
    request.once("upgrade", () => reject(new Error("switched protocols")));
    request.once("close", () => reject(new AppError("connection_failed", { message: closed })));
    request.once("response", (response) => {
      joinChunks(response);
      // Otherwise Node would consider a body without a length complete when its connection fails or the request is aborted.
      socket.prependListener("error", (error) => response.destroy(error));
      response.once(
        "close",
        onAbort(signal, () => response.destroy(signal.reason)),
      );
      if (isFinal(response)) resolve(response);
      else reject(invalidResponse());
    });
    if (body instanceof Readable) pipeline(body, request, (error) => error && reject(error));
    else request.end(body);
  });
}

/** A body may have `chunksMax` chunks of any size, plus one per `chunkBytesMin` bytes, as the bodies of requests to this service may. */
const [chunksMax, chunkBytesMin] = [2_000, 64];
const tooManyChunks = "sends its body in too many small chunks";

/**
 * Joins the chunks that Node has parsed in one turn of the event loop, and ends a response that has very many with `host_returned_error`: a
 * server may send single bytes, of which thousands are read at once, and readers take up to 40 µs for each chunk.
 */
function joinChunks(response: IncomingMessage): void {
  const push = response.push.bind(response);
  let waiting: Buffer[] = [];
  let [chunks, bytes] = [0, 0];
  const flush = () => {
    const joined = waiting.length === 1 ? waiting[0] : Buffer.concat(waiting);
    waiting = [];
    if (joined?.length) push(joined);
  };
  response.push = (chunk: Buffer | null) => {
    if (response.destroyed) return false;
    if (chunk === null) {
      flush();
      return push(null);
    }
    chunks += 1;
    bytes += chunk.length;
    if (chunks > chunksMax + bytes / chunkBytesMin) {
      waiting = [];
      response.destroy(new AppError("host_returned_error", { message: tooManyChunks }));
      return false;
    }
    if (waiting.push(chunk) === 1) process.nextTick(flush);
    return response.readableLength < response.readableHighWaterMark; // otherwise Node stops reading until this has been read
  };
}

/** Whether this is a final HTTP/1 response, which Node's parser doesn't check: it accepts `HTTP/2.0 000`, and 101 without an upgrade. */
function isFinal({ httpVersionMajor, statusCode = 0 }: IncomingMessage): boolean {
  return httpVersionMajor === 1 && statusCode >= 200;
}

/** Imitates an error from Node's HTTP parser. */
function invalidResponse(): Error {
  return Object.assign(new Error("invalid status line"), { code: "HPE_INVALID_STATUS" });
}

/** The first `bytesMax` bytes of a response's body. `isCut`: whether the body was longer, or ended early. */
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
