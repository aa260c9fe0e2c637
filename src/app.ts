/** The HTTP side of the service: what runs on a request, in this order. */

import cors from "@fastify/cors";
import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from "fastify";
import type { Logger } from "pino";
import { exposedHeaders } from "./http/answer-headers.ts";
import { documentRoutes } from "./http/documents/documents.ts";
import { bodyBytesMax, createAnswerFailure, handleErrors } from "./http/errors.ts";
import { healthRoutes } from "./http/health.ts";
import { createLinkBase } from "./http/link-base.ts";
import { createRequestId, logRequests } from "./http/log.ts";
import { createMalformedHandler, headBytesMax } from "./http/malformed.ts";
import { managementRoutes } from "./http/management/management.ts";
import { createQueryParser } from "./http/query.ts";
import { rewriteTarget, targetFailure } from "./http/request-target.ts";
import { createAdmission } from "./http/screenshots/admission.ts";
import { createTakeRequestParser } from "./http/screenshots/parse-take-request.ts";
import { storedRoute } from "./http/screenshots/stored.ts";
import { takeRoute } from "./http/screenshots/take.ts";
import { createUsageTracker } from "./http/screenshots/usage-tracker.ts";
import { createRoutes } from "./http/serve.ts";
import { commaList } from "./read-config.ts";
import type { Services } from "./services.ts";
import { version } from "./version.ts";

/** Of connections whose requests don't arrive, in milliseconds. */
export interface Timeouts {
  /** From a request's first byte to the end of its headers. */
  headersTimeout: number;
  /** From a request's first byte to the end of its body. */
  requestTimeout: number;
  /** How often connections are checked for both. */
  connectionsCheckingInterval: number;
}

const defaultTimeouts: Timeouts = { headersTimeout: 20_000, requestTimeout: 30_000, connectionsCheckingInterval: 5_000 };

/** The caller listens and closes; the services outlive the app. */
export async function createApp(services: Services, log: Logger, timeouts: Partial<Timeouts> = {}): Promise<FastifyInstance> {
  const { config, metrics } = services;
  const answerFailure = createAnswerFailure(metrics);
  const linkBase = createLinkBase(config.PUBLIC_URL, config.WEB_PUBLIC_URL);
  const { requestTimeout, ...headerTimeouts } = { ...defaultTimeouts, ...timeouts };
  const proxies = commaList(config.TRUST_PROXY);
  const app: FastifyInstance = Fastify({
    loggerInstance: log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: createRequestId,
    trustProxy: proxies.length > 0 && proxies,
    rewriteUrl: rewriteTarget,
    routerOptions: { querystringParser: createQueryParser(), ignoreTrailingSlash: true },
    bodyLimit: bodyBytesMax,
    requestTimeout, // not below, where Fastify sets it to 0 again
    http: {
      ...headerTimeouts,
      maxHeaderSize: headBytesMax,
      requireHostHeader: false, // asked for among the errors, which have words
    },
    forceCloseConnections: "idle", // requests under way are answered
    return503OnClosing: false, // what comes on open connections meanwhile is answered as ever; who needs a browser gets a 503 of ours
    frameworkErrors: (error, request, reply) => {
      reply.header("x-request-id", request.id); // no hook has run
      answerFailure(targetFailure(error, request), request, reply);
    },
    clientErrorHandler: createMalformedHandler(metrics, log as FastifyBaseLogger),
  });

  logRequests(app, log, metrics);
  handleErrors(app, answerFailure);
  app.addHook("onSend", (_request, reply, _payload, done) => {
    if (services.closing()) reply.header("connection", "close"); // else the end waits for idle connections to time out
    done();
  });

  await app.register(async (health) => healthRoutes(health, createRoutes(health, services.signIn), { ...services, version }));
  const openApi = async () => (await import("./http/documents/openapi.ts")).createOpenApi(services.takeSchema, version);
  await app.register(async (documents) => documentRoutes(documents, createRoutes(documents, services.signIn), { openApi, version }));
  await app.register(async (screenshots) => {
    await screenshots.register(cors, { origin: "*", methods: ["GET", "HEAD"], exposedHeaders, maxAge: 86_400, strictPreflight: false });
    screenshots.addHook("onRequest", (_request, reply, done) => {
      reply
        .header("cross-origin-resource-policy", "cross-origin")
        .header("x-robots-tag", "noindex")
        .header("x-content-type-options", "nosniff");
      done();
    });
    takeRoute(screenshots, {
      ...services,
      linkBase,
      admit: createAdmission({ ...services, tracker: createUsageTracker(screenshots, services.usage) }),
      parseTakeRequest: createTakeRequestParser(services.takeSchema, ["api_key"]),
    });
    storedRoute(createRoutes(screenshots, services.signIn), services);
  });
  await app.register(async (management) => managementRoutes(management, { ...services, linkBase }));
  return app;
}
