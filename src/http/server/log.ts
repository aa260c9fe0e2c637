/** Request ids, log lines and spans. */

import { randomFillSync } from "node:crypto";
import type { FastifyBaseLogger, FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { type Logger, symbols } from "pino";
import { type OpenSpan, tracer } from "../../telemetry/tracing.ts";
import { loggedPathOf } from "../input/request-target.ts";

/** Logs only the method, path and IP address of a request, since the query may contain the key. */
export const loggerOptions = {
  serializers: {
    req: (request: FastifyRequest) => ({ method: request.method, path: loggedPathOf(request), ip: request.ip }),
  },
  redact: {
    paths: [
      "api_key",
      "*.api_key",
      "headers.authorization",
      "headers.cookie",
      'headers["x-api-key"]',
      "*.headers.authorization",
      "*.headers.cookie",
      '*.headers["x-api-key"]',
      "cookies",
      "*.cookies",
    ],
    censor: "[redacted]",
  },
};

/** Random digits for many ids: a system call per id would cost more than the rest of the id's creation. */
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

/** @param end `route` is the route's path pattern. */
type LogAnswer = (
  level: "debug" | "info",
  request: FastifyRequest,
  reply: FastifyReply,
  end: { route: string; status: number; message: string },
) => void;

/** Returns a function that logs a response. Redaction is off: the fields contain no secrets, and redacting takes longer than writing. */
export function createAnswerLog(log: Logger): LogAnswer {
  const lines = log.child({}, { redact: [] });
  const write = quickWriter(lines) ?? ((level, fields, message) => lines[level](fields, message));
  return (level, request, reply, { route, status, message }) => {
    if (!lines.isLevelEnabled(level)) return;
    const fields = {
      reqId: request.id,
      method: request.method,
      path: loggedPathOf(request, route),
      status,
      ms: Math.round(reply.elapsedTime),
      cache: reply.getHeader("x-cache") as string | undefined,
      timing: reply.getHeader("server-timing") as string | undefined,
    };
    write(level, fields, message);
  };
}

interface AnswerFields {
  reqId: string;
  method: string;
  path: string;
  status: number;
  ms: number;
  cache: string | undefined;
  timing: string | undefined;
}

/**
 * Returns a function that writes the same line as pino in a quarter of the time: pino spends the rest inspecting the fields. Returns
 * undefined if the logger adds fields of its own, such as the trace.
 */
export function quickWriter(lines: Logger): ((level: "debug" | "info", fields: AnswerFields, message: string) => void) | undefined {
  const inner = lines as unknown as Inner;
  if (inner[symbols.formattersSym].log !== undefined || inner[symbols.mixinSym] !== undefined) return undefined;
  const stream = inner[symbols.streamSym];
  const starts = inner[symbols.lsCacheSym];
  const time = inner[symbols.timeSym];
  const bindings = inner[symbols.chindingsSym];
  return (level, { reqId, method, path, status, ms, cache, timing }, message) => {
    const start = starts[lines.levels.values[level] ?? 0] + time() + bindings;
    const request = `,"reqId":"${reqId}","method":"${method}","path":${JSON.stringify(path)},"status":${status},"ms":${ms}`;
    const screenshot =
      (cache === undefined ? "" : `,"cache":"${cache}"`) + (timing === undefined ? "" : `,"timing":${JSON.stringify(timing)}`);
    stream.write(`${start}${request}${screenshot},"msg":"${message}"}\n`);
  };
}

/** Pino internals of a logger. */
interface Inner {
  [symbols.formattersSym]: { log?: unknown };
  [symbols.mixinSym]?: unknown;
  [symbols.streamSym]: { write(line: string): void };
  /** Cached line prefix by numeric level. */
  [symbols.lsCacheSym]: Record<number, string>;
  [symbols.timeSym](): string;
  [symbols.chindingsSym]: string;
}

/** Per-request logger, created from `parent` on first use: most requests log only the access line. */
class RequestLogger {
  #parent: FastifyBaseLogger;
  #bindings: Record<string, unknown>;
  #made: FastifyBaseLogger | undefined;
  constructor(parent: FastifyBaseLogger, bindings: Record<string, unknown>) {
    this.#parent = parent;
    this.#bindings = bindings;
  }
  get made(): FastifyBaseLogger {
    this.#made ??= this.#parent.child(this.#bindings);
    return this.#made;
  }
  get level(): string {
    return this.#parent.level;
  }
}
for (const name of ["trace", "debug", "info", "warn", "error", "fatal", "silent", "child"] as const)
  Object.defineProperty(RequestLogger.prototype, name, {
    value(this: RequestLogger, ...given: unknown[]) {
      return (this.made[name] as (...of: unknown[]) => unknown).apply(this.made, given);
    },
  });

/** For Fastify's `childLoggerFactory`. */
export function requestLogger(parent: FastifyBaseLogger, bindings: Record<string, unknown>): FastifyBaseLogger {
  return new RequestLogger(parent, bindings) as unknown as FastifyBaseLogger;
}

/** Must be called before other hooks are added, so that they and the handlers run within the request's span. Health checks have no span. */
export function traceRequests(app: FastifyInstance): void {
  const current = tracer;
  if (!current) return;
  const spans = new WeakMap<FastifyRequest, OpenSpan>();
  app.addHook("onRequest", (request, reply, done) => {
    const route = request.routeOptions.url;
    if (route?.startsWith("/health")) return done();
    const { traceparent } = request.headers;
    const attributes = { "http.request.method": request.method, "http.route": route, "tintype.request.id": request.id };
    const span = current.open(route === undefined ? request.method : `${request.method} ${route}`, attributes, {
      kind: "server",
      parent: typeof traceparent === "string" ? traceparent : undefined,
    });
    spans.set(request, span);
    reply.raw.once("close", () => {
      const status = reply.statusCode;
      const cache = reply.getHeader("x-cache");
      span.set({ "http.response.status_code": status, ...(typeof cache === "string" && { "tintype.cache": cache }) });
      const code = reply.getHeader("x-error-code");
      if (status >= 500) span.set({ "error.type": typeof code === "string" ? code : String(status) });
      span.end();
    });
    span.run(done);
  });
  // Once the body has been read, the async context belongs to the connection, not to the span.
  app.addHook("preHandler", (request, _reply, done) => {
    const span = spans.get(request);
    return span ? span.run(done) : done();
  });
}
