/** Handling shared by all requests: account, usage, log line, metrics, and cleanup when the response closes. */

import type { ServerResponse } from "node:http";
import { pipeline, Readable, Transform } from "node:stream";
import cors from "@fastify/cors";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Logger } from "pino";
import type { Caller } from "../../accounts/keys/caller.ts";
import type { RequestOutcome, UsageCounts } from "../../accounts/usage/counts.ts";
import { AppError, ClientGone, failures } from "../../shared/errors.ts";
import type { Metrics } from "../../telemetry/metrics.ts";
import { tracer } from "../../telemetry/tracing.ts";
import { exposedHeaders } from "../openapi/answer-headers.ts";
import { createAnswerLog, traceRequests } from "./log.ts";
import { followOwners, setAccount } from "./owners.ts";

export function hasBody({ headers }: Pick<FastifyRequest, "headers">): boolean {
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
}

interface RequestParts {
  log: Logger;
  metrics: Metrics;
  closing: AbortSignal;
  stalledTimeout: number;
  /** Passes the body through as it arrives. */
  receive(request: FastifyRequest, reply: FastifyReply, body: Readable): Readable;
}

/** Sets common response headers, and logs and counts each request once it is finished. `closing` aborts when the shutdown begins. */
export function followRequests(app: FastifyInstance, { log, metrics, closing, stalledTimeout, receive }: RequestParts): void {
  const logAnswer = createAnswerLog(log);
  const bind = tracer?.bind;
  traceRequests(app);
  followOwners(app);
  app.addHook("onRequest", (request, reply, done) => {
    reply.header("x-request-id", request.id);
    const onClose = () => end(request, reply);
    whenClosed(reply, bind?.(onClose) ?? onClose);
    done();
  });
  app.addHook("preParsing", (request, reply, body, done) => {
    done(null, hasBody(request) ? receive(request, reply, body) : body);
  });
  app.addHook("onSend", (request, reply, _payload, done) => {
    request.raw.socket?.setTimeout(stalledTimeout); // closes a stalled socket; Node sets its own timeout after the response
    if (closing.aborted) reply.header("connection", "close"); // otherwise the shutdown would wait for idle connections to time out
    done();
  });
  function end(request: Tracked, reply: FastifyReply): void {
    const status = upgraded.has(reply) ? upgradedStatus : isLost(reply.raw) ? clientGoneStatus : reply.statusCode;
    const route = request.routeOptions.url ?? "none";
    metrics.countRequest(route, status, reply.elapsedTime / 1000);
    const message = status === clientGoneStatus ? "the caller disconnected before the end of the response" : "answered";
    logAnswer(route.startsWith("/health") ? "debug" : "info", request, reply, { route, status, message });
    request[recordUsage]?.(request, reply, status);
  }
}

type User = Pick<Caller, "id" | "userId">;
const caller = Symbol("caller");
const recordUsage = Symbol("recordUsage");
/** `recordUsage` gets the status or `clientGoneStatus`, unlike `onResponse`, which Fastify skips if the client has disconnected. */
type Tracked = FastifyRequest & { [caller]?: User; [recordUsage]?: (request: Tracked, reply: FastifyReply, status: number) => void };

export interface UsageTracker {
  /** Counts `request` toward the usage of `caller`. Requests that are never attributed are not counted. */
  attribute(request: FastifyRequest, caller: User): void;
}

/** Records the outcome of each attributed request to the routes of `app`, and the bytes sent. */
export function createUsageTracker(app: FastifyInstance, usage: UsageCounts): UsageTracker {
  const errors = new WeakMap<FastifyRequest, Error>();
  const zipBytes = new WeakMap<FastifyRequest, number>();
  app.addHook("onSend", (request, reply, payload, done) => {
    if (!(payload instanceof Readable) || reply.getHeader("content-type") !== "application/zip") return done(null, payload);
    const counted = new Transform({
      transform(chunk: Buffer, _encoding, next) {
        zipBytes.set(request, (zipBytes.get(request) ?? 0) + chunk.length);
        next(null, chunk);
      },
    });
    done(
      null,
      pipeline(payload, counted, () => {}),
    ); // Fastify handles the stream's errors
  });
  app.addHook("onError", (request, _reply, error, done) => {
    errors.set(request, error);
    done();
  });
  const record = (request: Tracked, reply: FastifyReply, status: number) => {
    const user = request[caller];
    if (!user) return;
    const outcome = outcomeOf(reply, errors.get(request), status);
    const bytes = request.method === "HEAD" || status !== 200 ? 0 : (zipBytes.get(request) ?? (outcome ? bytesOf(reply) : 0));
    usage.record(user, outcome, bytes);
  };
  return {
    attribute(request: Tracked, user) {
      request[caller] = user;
      request[recordUsage] = record;
      setAccount(request, user.userId);
    },
  };
}

/** Error codes recorded as `rejected`, in addition to those with status 403 or 429. All other errors are recorded as `failed`. */
const refusals = new Set(["invalid_parameters", "invalid_url"]);

/** Undefined for a successful response without a screenshot, as with `dry_run`. */
function outcomeOf(reply: FastifyReply, error: Error | undefined, status: number): RequestOutcome | undefined {
  if (error instanceof AppError)
    return refusals.has(error.code) || [403, 429].includes(failures[error.code].status) ? "rejected" : "failed";
  if (error) return "failed";
  const cache = reply.getHeader("x-cache");
  if (cache === undefined) return status === clientGoneStatus ? "failed" : undefined;
  return cache === "MISS" ? "captured" : "cached";
}

function bytesOf(reply: FastifyReply): number {
  const bytes = Number(reply.getHeader("content-length"));
  return Number.isSafeInteger(bytes) ? bytes : 0;
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
  // The plugin serves only preflights, because it would compute the same headers again for each request.
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

/** Marks a request as finished when its connection becomes a WebSocket. */
export function endWithUpgrade(reply: FastifyReply): void {
  upgraded.add(reply);
  reply.raw.emit("close");
}

/** Whether the response has been sent or its connection has closed. */
export const isClosed = ({ raw }: FastifyReply): boolean => raw.closed || raw.destroyed;

/** One listener per response: Node warns about more than ten, and adding a listener costs more than calling the handlers. */
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
  this[handlers] = []; // `close` may be emitted again after an upgrade
  for (const handle of all) handle();
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

/** Returns a signal that aborts with `ClientGone` if the connection closes before the response is sent. */
export function followDisconnection(reply: FastifyReply): AbortSignal {
  const controller = new AbortController();
  onClosed(reply, () => {
    if (isLost(reply.raw)) controller.abort(new ClientGone());
  });
  return controller.signal;
}
