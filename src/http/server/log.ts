/** Options of the logger. */

import type { FastifyRequest } from "fastify";
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
