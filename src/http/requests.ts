/** What happens with every request: its id, its log line, its end. */

import { randomFillSync } from "node:crypto";
import type { ServerResponse } from "node:http";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Logger } from "pino";
import { v7 } from "uuid";
import { ClientGone } from "../errors.ts";
import type { Metrics } from "../metrics.ts";
import { currentTracer } from "../tracing.ts";
import { countedBody } from "./body-budget.ts";
import { onClosed } from "./on-closed.ts";
import { loggedPathOf } from "./request-target.ts";
import { traceRequests } from "./trace-requests.ts";

const idRandomBytes = 16;
/** Random bytes for many ids at once: a system call for each would cost more than the rest of the id. */
const randomness = Buffer.alloc(256 * idRandomBytes);
let used = randomness.length;

/** `req_` and 32 hex digits that sort by time. */
export function createRequestId(): string {
  if (used === randomness.length) {
    randomFillSync(randomness);
    used = 0;
  }
  const random = randomness.subarray(used, used + idRandomBytes);
  used += idRandomBytes;
  return `req_${v7({ random }).replaceAll("-", "")}`;
}

export function hasBody({ headers }: Pick<FastifyRequest, "headers">): boolean {
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
}

type RequestParts = { log: Logger; metrics: Metrics; closing: AbortSignal; stalledTimeout: number; keylessBodyTimeout: number };

/** Sets the headers of every response, and logs and counts each request at its end. `closing` aborts when the shutdown begins. */
export function followRequests(app: FastifyInstance, { log, metrics, closing, stalledTimeout, keylessBodyTimeout }: RequestParts): void {
  // The fields are chosen one by one: searching them for secrets would take longer than writing them.
  const answers = log.child({}, { redact: [] });
  traceRequests(app);
  app.addHook("onRequest", (request, reply, done) => {
    reply.header("x-request-id", request.id);
    done();
  });
  app.addHook("preParsing", (request, reply, body, done) => {
    done(null, hasBody(request) ? countedBody(request, reply, body, keylessBodyTimeout) : body);
  });
  app.addHook("onSend", (_request, reply, _payload, done) => {
    reply.raw.socket?.setTimeout(stalledTimeout); // Node closes it then, and sets its own timeout after the answer
    if (closing.aborted) reply.header("connection", "close"); // otherwise the shutdown waits until idle connections time out
    done();
  });
  onRequestEnd(app, (request, reply, status) => {
    const route = request.routeOptions.url ?? "none";
    metrics.requests.inc({ route, status });
    metrics.requestSeconds.observe({ route }, reply.elapsedTime / 1000);
    const quiet = route.startsWith("/health");
    answers[quiet ? "debug" : "info"](
      {
        reqId: request.id,
        method: request.method,
        path: loggedPathOf(request),
        status,
        ms: Math.round(reply.elapsedTime),
        cache: reply.getHeader("x-cache"),
        timing: reply.getHeader("server-timing"),
      },
      status === clientGoneStatus ? "the caller left before the end of the answer" : "answered",
    );
  });
}

/** Logged and counted as the status of a request whose client disconnected before the whole response was sent. */
export const clientGoneStatus = 499;

/**
 * Calls `handle` once for each request of `app` when it has ended, with the response's status or `clientGoneStatus`. Fastify's own
 * `onResponse` doesn't run when the client has disconnected.
 */
export function onRequestEnd(app: FastifyInstance, handle: (request: FastifyRequest, reply: FastifyReply, status: number) => void): void {
  const bind = currentTracer()?.bind;
  app.addHook("onRequest", (request, reply, done) => {
    const onClose = () => {
      const status = upgraded.has(reply) ? upgradedStatus : isLost(reply.raw) ? clientGoneStatus : reply.statusCode;
      handle(request, reply, status);
    };
    reply.raw.once("close", bind?.(onClose) ?? onClose);
    done();
  });
}

const upgraded = new WeakSet<FastifyReply>();
const upgradedStatus = 101;

/** Ends a request whose connection is a WebSocket from here on. */
export function endWithUpgrade(reply: FastifyReply): void {
  upgraded.add(reply);
  reply.raw.emit("close");
}

/** The server's side of each connection of this process to itself, with what closes it. */
export const ownConnections = new WeakMap<object, AbortSignal>();

/**
 * Whether the connection of a response was lost before its end. One of this process is closed once the last byte has arrived, which the server's
 * side learns before it has finished: it is lost only if it was to be closed.
 */
function isLost(response: ServerResponse): boolean {
  const signal = response.req.socket && ownConnections.get(response.req.socket);
  return signal ? signal.aborted : !response.writableFinished;
}

/** Aborts with `ClientGone` when the connection closes before the answer is sent. */
export function followDisconnection(reply: FastifyReply): AbortSignal {
  const controller = new AbortController();
  onClosed(reply, () => {
    if (isLost(reply.raw)) controller.abort(new ClientGone());
  });
  return controller.signal;
}

/** An answer that takes longer counts as received, although it may still be cut off: an outage of the database is to end before its lease. */
const sendingMs = 30_000;

/**
 * Calls `confirm` once the answer has been sent, or the caller has left meanwhile, but not if it is an error. A process that is killed before
 * doesn't call it.
 */
export function onceAnswered(reply: FastifyReply, confirm: (() => void) | undefined): void {
  if (!confirm) return;
  const end = () => {
    clearTimeout(timer);
    if (reply.statusCode < 400) confirm();
  };
  const timer = setTimeout(end, sendingMs).unref();
  onClosed(reply, end);
}
