/** Creates an HTTP server without routes: request checks, limits, logging and error responses are the same for every server. */

import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from "fastify";
import type { Logger } from "pino";
import type { Config } from "../../settings/config.ts";
import { commaList } from "../../settings/read-config.ts";
import type { Metrics } from "../../telemetry/metrics.ts";
import { countedBody } from "../input/body-budget.ts";
import { checkTargets, createQueryParser, rewriteTarget, targetFailure } from "../input/request-target.ts";
import { limitStreams } from "./client-limits.ts";
import { limitConnections } from "./connection-limit.ts";
import { containFailures } from "./contain-failures.ts";
import { bodyBytesMax, createAnswerFailure } from "./error-handler.ts";
import { createRequestId, requestLogger } from "./log.ts";
import { createMalformedHandler, headBytesMax, limitHeaders } from "./malformed.ts";
import { runOneAtATime } from "./one-at-a-time.ts";
import { limitReads } from "./read-turns.ts";
import { followRequests } from "./requests.ts";
import { limitTimeouts } from "./timeout-turns.ts";

/** Timeouts for clients that send or read too slowly, in milliseconds. */
export interface Timeouts {
  /** Maximum time from a request's first byte to the end of its headers. */
  headersTimeout: number;
  /** Maximum time from a request's first byte to the end of its body. */
  requestTimeout: number;
  /** Interval at which connections are checked against the two timeouts above. */
  connectionsCheckingInterval: number;
  /** Maximum idle time while a client reads its response, which occupies memory or a connection to object storage. */
  stalledTimeout: number;
  /** Maximum time from the end of a request's headers to the end of its body, if its headers and query don't contain a key. */
  keylessBodyTimeout: number;
}

const defaultTimeouts: Timeouts = {
  headersTimeout: 20_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 5_000,
  stalledTimeout: 60_000,
  keylessBodyTimeout: 15_000,
};

interface ServerParts {
  config: Pick<Config, "TRUST_PROXY">;
  metrics: Metrics;
  closing: AbortSignal;
}

/** The caller adds routes, starts listening, and closes the server. */
export function createHttpServer(
  { config, metrics, closing }: ServerParts,
  log: Logger,
  timeouts: Partial<Timeouts> = {},
): FastifyInstance {
  const answerFailure = createAnswerFailure(metrics);
  const { requestTimeout, stalledTimeout, keylessBodyTimeout, ...headerTimeouts } = { ...defaultTimeouts, ...timeouts };
  const proxies = commaList(config.TRUST_PROXY);
  const app: FastifyInstance = Fastify({
    loggerInstance: log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    childLoggerFactory: requestLogger,
    genReqId: createRequestId,
    trustProxy: proxies.length > 0 && proxies,
    rewriteUrl: rewriteTarget,
    schemaController: noSchemas,
    routerOptions: { querystringParser: createQueryParser(), ignoreTrailingSlash: true },
    bodyLimit: bodyBytesMax,
    requestTimeout, // not in `http`, where Fastify overwrites it with 0
    http: {
      ...headerTimeouts,
      maxHeaderSize: headBytesMax,
      requireHostHeader: false, // checked in request-target.ts, with a message
    },
    forceCloseConnections: "idle", // active requests run to completion
    return503OnClosing: false, // open connections are served as usual; requests that need a browser get our own 503
    frameworkErrors: (error, request, reply) => {
      reply.header("x-request-id", request.id); // no hook has set it yet
      answerFailure(targetFailure(error, request), request, reply);
    },
    clientErrorHandler: createMalformedHandler(metrics, log as FastifyBaseLogger),
  });

  containFailures(app.server, (error) => log.error({ err: error }, "a connection was closed, as handling it failed"));
  limitConnections(app.server);
  runOneAtATime(app.server);
  limitReads(app.server);
  limitTimeouts(app.server);
  app.setErrorHandler(answerFailure);
  followRequests(app, {
    log,
    metrics,
    closing,
    stalledTimeout,
    receive: (request, reply, body) => countedBody(request, reply, body, keylessBodyTimeout),
  });
  limitStreams(app);
  limitHeaders(app);
  checkTargets(app);
  return app;
}

const unreachable = () => {
  throw new Error("unreachable: routes have no schemas");
};

/**
 * For `schemaController`: disables Fastify's schema compilers, which take a tenth of the startup time to load. Requests are validated with
 * Zod.
 */
export const noSchemas = { compilersFactory: { buildValidator: unreachable, buildSerializer: unreachable } };
