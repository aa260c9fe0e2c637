/** Options of the logger, and the loggers of requests. */

import type { FastifyBaseLogger, FastifyRequest } from "fastify";
import { loggedPathOf } from "./request-target.ts";

/** Logs only the method, path and IP address of a request, since the query contains the key. */
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

/** The logger of one request, made from `parent` once something is logged: few requests log more than the common line. */
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
