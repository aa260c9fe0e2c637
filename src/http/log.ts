/** Logging of requests, without their secrets. */

import { randomFillSync } from "node:crypto";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Logger } from "pino";
import { v7 } from "uuid";
import type { Metrics } from "../metrics.ts";
import { clientGoneStatus, onRequestEnd } from "./request-end.ts";
import { loggedPathOf } from "./request-target.ts";

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

/** Options of the logger: of a request it logs method, path and IP address, but not the query, which contains the key. */
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
      "*.headers.authorization",
      "*.headers.cookie",
      "cookies",
      "*.cookies",
    ],
    censor: "[redacted]",
  },
};

/** Logs one line for each response, and sets the request's id on it. */
export function logRequests(app: FastifyInstance, log: Logger, metrics: Metrics): void {
  // The fields are chosen one by one: searching them for secrets would take longer than writing them.
  const answers = log.child({}, { redact: [] });
  app.addHook("onRequest", (request, reply, done) => {
    reply.header("x-request-id", request.id);
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
