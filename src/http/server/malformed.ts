/** Responds to input that Node can't parse into a request: invalid HTTP, oversized headers and requests that time out. */

import type { Socket } from "node:net";
import type { FastifyBaseLogger, FastifyInstance } from "fastify";
import { AppError } from "../../shared/errors.ts";
import { STATUS_CODES } from "../../shared/node-http.ts";
import type { Metrics } from "../../telemetry/metrics.ts";
import { errorBodyOf } from "./error-handler.ts";
import { createRequestId } from "./log.ts";

/** Limit for the request line and all headers together. */
export const headBytesMax = 64 * 1024;

/** Maximum number of header lines, each of which costs time and hundreds of bytes. Browsers and proxies send a few dozen. */
const headLinesMax = 1_000;

/** Refuses requests with more header lines. Must be called before other hooks are added, since Node drops the rest of the lines. */
export function limitHeaders(app: FastifyInstance): void {
  app.server.maxHeadersCount = headLinesMax + 1; // some versions of Node refuse such a request themselves
  app.addHook("onRequest", ({ raw }, reply, done) => {
    if (raw.rawHeaders.length <= 2 * headLinesMax) return done();
    reply.header("connection", "close"); // the length of the body may be among the dropped headers
    done(headTooLarge());
  });
}

/** After this time the connection is closed, whether or not the client has read the response. */
const lingerMs = 2_000;

/** For Fastify's `clientErrorHandler`, which gets the connection, but no request or reply. Closes the connection. */
export function createMalformedHandler(metrics: Metrics, log: FastifyBaseLogger): (error: NodeJS.ErrnoException, socket: Socket) => void {
  const answered = new WeakSet<Socket>();
  return (error, socket) => {
    if (answered.has(socket)) return; // the parser also reports the rest of the same input
    if (error.code === "ECONNRESET" || !socket.writable || hasBegunAnAnswer(socket)) return void socket.destroy();
    answered.add(socket);
    const failure = failureOf(error);
    const requestId = createRequestId();
    // Not the error itself: it contains the received bytes, which may include a key.
    log.info({ reqId: requestId, code: failure.code, reason: error.code }, "refused a malformed request");
    metrics.failures.inc({ code: failure.code });
    socket.end(answerText(failure, requestId));
    // Without a timer for each, of which thousands would run in one turn. All that this client has sent has been read.
    if (failure.code === "request_timeout") return void socket.destroySoon();
    socket.resume(); // closing with unread bytes would reset the connection before the client reads the response
    const timer = setTimeout(() => socket.destroy(), lingerMs).unref();
    socket.once("close", () => clearTimeout(timer));
  };
}

function failureOf({ code }: NodeJS.ErrnoException): AppError {
  if (code === "HPE_HEADER_OVERFLOW") return headTooLarge();
  if (code === "HPE_CHUNK_EXTENSIONS_OVERFLOW") return new AppError("payload_too_large");
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") return new AppError("request_timeout");
  return new AppError("invalid_parameters", { message: "Malformed HTTP request." });
}

function headTooLarge(): AppError {
  const limit = `The request URL and headers exceed ${headBytesMax} bytes in total, or there are more than ${headLinesMax} header lines`;
  const advice = "shorten long parameters such as styles and scripts, which percent-encoding makes longer";
  return new AppError("headers_too_large", { message: `${limit}; ${advice}.` });
}

/**
 * Whether a response on this connection has begun, or has ended before its request did. If so, the client would mistake a second
 * response for part of the first, or for the response to its next request.
 */
function hasBegunAnAnswer(socket: Socket): boolean {
  const { _httpMessage: answer, parser } = socket as unknown as {
    _httpMessage?: { headersSent: boolean } | null;
    parser?: { incoming?: { complete: boolean } | null } | null;
  };
  return answer?.headersSent ?? parser?.incoming?.complete === false;
}

function answerText(failure: AppError, requestId: string): string {
  const body = JSON.stringify(errorBodyOf(failure, requestId));
  return [
    `HTTP/1.1 ${failure.status} ${STATUS_CODES[failure.status]}`,
    `Date: ${new Date().toUTCString()}`,
    "Content-Type: application/json; charset=utf-8",
    `Content-Length: ${Buffer.byteLength(body)}`,
    "Cache-Control: no-store",
    `X-Request-Id: ${requestId}`,
    `X-Error-Code: ${failure.code}`,
    "Connection: close",
    "",
    body,
  ].join("\r\n");
}
