/** What is logged of a request, and what never is. */

import { randomFillSync } from "node:crypto";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Logger } from "pino";
import { v7 } from "uuid";
import type { Metrics } from "../metrics.ts";
import { clientGoneStatus, onRequestEnd } from "./request-end.ts";
import { loggedPathOf } from "./request-target.ts";

const idRandomBytes = 16;
/** Random bytes for many ids at once: each asking of the system costs more than all else of an id. */
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

/** Options of the logger: of a request only its method, path and address; the query has the key in it. */
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

/** One line for each request, and the request's id on it. */
export function logRequests(app: FastifyInstance, log: Logger, metrics: Metrics): void {
  // What is said of an answer is chosen word by word: looking for secrets in it would take longer than writing it.
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
