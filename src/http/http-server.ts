/** A server of the service, without its routes: requests are checked, followed and logged, and failures answered as everywhere. */

import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from "fastify";
import type { Logger } from "pino";
import type { Config } from "../config.ts";
import type { Metrics } from "../metrics.ts";
import { commaList } from "../read-config.ts";
import { bodyBytesMax, createAnswerFailure } from "./errors.ts";
import { createMalformedHandler, headBytesMax } from "./malformed.ts";
import { noSchemas } from "./no-schemas.ts";
import { createQueryParser } from "./query.ts";
import { checkTargets, rewriteTarget, targetFailure } from "./request-target.ts";
import { createRequestId, followRequests } from "./requests.ts";
import { limitStreamedBodies } from "./streamed-bodies.ts";

/** For requests that don't arrive, and answers that aren't read, in milliseconds. */
export interface Timeouts {
  /** From a request's first byte to the end of its headers. */
  headersTimeout: number;
  /** From a request's first byte to the end of its body. */
  requestTimeout: number;
  /** How often connections are checked for both. */
  connectionsCheckingInterval: number;
  /** How long a client may take nothing of its answer, which is in memory, or a stream of the storage. */
  stalledTimeout: number;
  /** From the end of a request's headers to the end of its body, if no key is in its headers or query. */
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

/** The caller adds routes, listens and closes. */
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
    forceCloseConnections: "idle", // running requests are answered
    return503OnClosing: false, // requests on open connections are answered normally; those that need a browser get our own 503
    frameworkErrors: (error, request, reply) => {
      reply.header("x-request-id", request.id); // no hook has run
      answerFailure(targetFailure(error, request), request, reply);
    },
    clientErrorHandler: createMalformedHandler(metrics, log as FastifyBaseLogger),
  });

  app.setErrorHandler(answerFailure);
  followRequests(app, { log, metrics, closing, stalledTimeout, keylessBodyTimeout });
  limitStreamedBodies(app);
  checkTargets(app);
  return app;
}
