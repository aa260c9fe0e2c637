/** Common to all requests: an id, an account, a log line, metrics, and an end at which resources are released. */

import { randomFillSync } from "node:crypto";
import type { ServerResponse } from "node:http";
import type { Readable } from "node:stream";
import cors from "@fastify/cors";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Logger } from "pino";
import { ClientGone } from "../../shared/errors.ts";
import type { Metrics } from "../../telemetry/metrics.ts";
import { currentTracer } from "../../telemetry/tracing.ts";
import { exposedHeaders } from "../openapi/answer-headers.ts";
import { createAnswerLog, traceRequests } from "./log.ts";

/** Random digits for many ids: a system call per id would cost more than the rest of the id. */
const randomBytes = Buffer.alloc(256 * 10);
let randomDigits = "";
let used = 0;
const digitsOfId = 20;
let now = { ms: 0, digits: "" };

/** `req_` and the 32 hex digits of a UUIDv7 (RFC 9562, 5.7), which sort by time. */
export function createRequestId(): string {
  if (used === randomDigits.length) {
    randomDigits = randomFillSync(randomBytes).toString("hex");
    used = 0;
  }
  const ms = Date.now();
  if (ms !== now.ms) now = { ms, digits: ms.toString(16).padStart(12, "0") };
  const random = randomDigits.slice(used, used + digitsOfId);
  used += digitsOfId;
  const variant = "89ab"[random.charCodeAt(3) % 4];
  return `req_${now.digits}7${random.slice(0, 3)}${variant}${random.slice(4, 19)}`;
}

export function hasBody({ headers }: Pick<FastifyRequest, "headers">): boolean {
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
}

// Kept on the request itself: an entry of a WeakMap for each request costs more, most of it at garbage collection.
const account = Symbol("account");
type Attributed = FastifyRequest & { [account]?: string };

/** Account of the API key; undefined until the key has been accepted, and for requests without one. */
export const accountOf = (request: Attributed): string | undefined => request[account];

export function setAccount(request: Attributed, userId: string): void {
  request[account] = userId;
}

interface RequestParts {
  log: Logger;
  metrics: Metrics;
  closing: AbortSignal;
  stalledTimeout: number;
  /** Passes the body on as it is received. */
  receive(request: FastifyRequest, reply: FastifyReply, body: Readable): Readable;
}

/** Sets common response headers, and logs and counts each request when it ends. `closing` aborts when the shutdown begins. */
export function followRequests(app: FastifyInstance, { log, metrics, closing, stalledTimeout, receive }: RequestParts): void {
  const logAnswer = createAnswerLog(log);
  const bind = currentTracer()?.bind;
  traceRequests(app);
  app.addHook("onRequest", (request, reply, done) => {
    reply.header("x-request-id", request.id);
    const onClose = () => end(request, reply);
    whenClosed(reply, bind?.(onClose) ?? onClose);
    done();
  });
  app.addHook("preParsing", (request, reply, body, done) => {
    done(null, hasBody(request) ? receive(request, reply, body) : body);
  });
  app.addHook("onSend", (_request, reply, _payload, done) => {
    reply.raw.socket?.setTimeout(stalledTimeout); // Node then closes the socket, and sets its own timeout after the response
    if (closing.aborted) reply.header("connection", "close"); // otherwise the shutdown waits for idle connections to time out
    done();
  });
  function end(request: Ending, reply: FastifyReply): void {
    const status = upgraded.has(reply) ? upgradedStatus : isLost(reply.raw) ? clientGoneStatus : reply.statusCode;
    const route = request.routeOptions.url ?? "none";
    metrics.countRequest(route, status, reply.elapsedTime / 1000);
    const message = status === clientGoneStatus ? "the caller disconnected before the end of the response" : "answered";
    logAnswer(route.startsWith("/health") ? "debug" : "info", request, reply, { route, status, message });
    request[ending]?.(request, reply, status);
  }
}

/** Called with the response's status, or `clientGoneStatus`. */
type HandleEnd = (request: FastifyRequest, reply: FastifyReply, status: number) => void;

const ending = Symbol("ending");
type Ending = FastifyRequest & { [ending]?: HandleEnd };

/**
 * Calls `handle` once at the end of the request. Fastify's own `onResponse` doesn't run if the client has disconnected. One for each
 * request.
 */
export function onRequestEnd(request: Ending, handle: HandleEnd): void {
  request[ending] = handle;
}

const openToAll = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers": exposedHeaders.join(", "),
  "cross-origin-resource-policy": "cross-origin",
  "x-robots-tag": "noindex",
  "x-content-type-options": "nosniff",
};

/** Allows scripts and pages of every origin to use the responses of `app`. */
export async function openToAllOrigins(app: FastifyInstance): Promise<void> {
  app.addHook("onRequest", (_request, reply, done) => {
    reply.headers(openToAll);
    done();
  });
  // Only for preflights: the plugin would compute the same headers again for each request.
  await app.register(async (preflights) => {
    await preflights.register(cors, {
      origin: "*",
      methods: ["GET", "HEAD", "POST", "PATCH", "DELETE"],
      exposedHeaders,
      maxAge: 86_400,
      strictPreflight: false,
    });
  });
}

/** Status in logs and metrics if the client disconnected before the whole response was sent. */
export const clientGoneStatus = 499;

const upgraded = new WeakSet<FastifyReply>();
const upgradedStatus = 101;

/** Marks a request as ended when its connection becomes a WebSocket. */
export function endWithUpgrade(reply: FastifyReply): void {
  upgraded.add(reply);
  reply.raw.emit("close");
}

/** Whether the response has been sent or its connection has closed. */
export const isClosed = ({ raw }: FastifyReply): boolean => raw.closed || raw.destroyed;

/** One listener for each response, since Node warns of more than ten, and adding one costs more than calling the handlers. */
const handlers = Symbol("handlers");
type Followed = ServerResponse & { [handlers]?: (() => void)[] | undefined };

/** Calls `handle` when the response closes; immediately if it already has, since clients may disconnect during any `await`. */
export function onClosed(reply: FastifyReply, handle: () => void): void {
  if (isClosed(reply)) handle();
  else whenClosed(reply, handle);
}

function whenClosed({ raw }: { raw: Followed }, handle: () => void): void {
  const registered = raw[handlers];
  if (registered) registered.push(handle);
  else {
    raw[handlers] = [handle];
    raw.on("close", callHandlers);
  }
}

function callHandlers(this: Followed): void {
  const all = this[handlers] ?? [];
  this[handlers] = []; // an upgrade announces the end itself
  for (const one of all) one();
}

/** Server-side sockets of in-process requests, with the signal that closes each. */
export const ownConnections = new WeakMap<object, AbortSignal>();

/**
 * Whether the connection was lost before the response was complete. The client of an in-process request closes its side after the last
 * byte, which the server sees before `finish`: such a connection is lost only if its signal has aborted.
 */
function isLost(response: ServerResponse): boolean {
  const signal = response.req.socket && ownConnections.get(response.req.socket);
  return signal ? signal.aborted : !response.writableFinished;
}

/** Aborts with `ClientGone` when the connection closes before the response is sent. */
export function followDisconnection(reply: FastifyReply): AbortSignal {
  const controller = new AbortController();
  onClosed(reply, () => {
    if (isLost(reply.raw)) controller.abort(new ClientGone());
  });
  return controller.signal;
}

/**
 * Slower responses are confirmed after this time, even though they may still be cut off, because retrying the confirmation must fit into
 * its lease.
 */
const sendingMs = 30_000;

/**
 * Calls `onAnswered` once the response has been sent or the caller has disconnected, unless the service has failed. A response that was
 * refused because the caller leaves too many unread counts as sent: its screenshot can be fetched. Not called if the process is killed
 * first.
 */
export function onceAnswered(reply: FastifyReply, onAnswered: (() => void) | undefined): void {
  if (!onAnswered) return;
  const end = () => {
    clearTimeout(timer);
    if (reply.statusCode < 500) onAnswered();
  };
  const timer = setTimeout(end, sendingMs).unref();
  onClosed(reply, end);
}
