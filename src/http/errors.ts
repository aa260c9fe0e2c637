/** The one error handler: whatever is thrown ends here, in one JSON shape. */

import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { AppError, ClientGone, type FailureCode } from "../errors.ts";
import type { Metrics } from "../metrics.ts";
import { clientGoneStatus } from "./request-end.ts";
import { hostProblem, pathOf } from "./request-target.ts";

export type AnswerFailure = (error: FastifyError | AppError | Error, request: FastifyRequest, reply: FastifyReply) => FastifyReply;

/** What every error handler of the app does. */
export function createAnswerFailure(metrics: Metrics): AnswerFailure {
  return (error, request, reply) => {
    if (error instanceof ClientGone) return reply.code(clientGoneStatus).send(); // goes nowhere: the connection is closed
    const failure = error instanceof AppError ? error : foreseen(error);
    if (failure.code === "internal_error") request.log.error({ err: error }, "failed");
    else request.log.info({ code: failure.code, details: failure.details, cause: reasonOf(failure.cause) }, "refused");
    metrics.failures.inc({ code: failure.code });
    return sendFailure(request, reply, failure);
  };
}

export function handleErrors(app: FastifyInstance, answerFailure: AnswerFailure): void {
  app.setErrorHandler(answerFailure);
  const methodsOf = followRoutes(app);
  const notFound = (request: FastifyRequest, reply: FastifyReply) => {
    const methods = methodsOf(pathOf(request));
    if (methods.length === 0 || methods.includes(request.method))
      return new AppError("not_found", { message: "Not found; the API is documented at /docs." });
    reply.header("allow", methods.join(", ")); // RFC 9110, 15.5.6
    return new AppError("method_not_allowed", { message: `Method not allowed for this path; allowed: ${methods.join(", ")}.` });
  };
  app.addHook("onRequest", (request, reply, done) => {
    const problem = hostProblem(request.raw); // Node refuses some of them, without a message
    if (problem !== undefined) done(new AppError("invalid_parameters", { message: problem }));
    else done(request.is404 ? notFound(request, reply) : undefined); // before the body is read
  });
  // RFC 9110, 10.1.1: an expectation that is not met may be ignored. Node's own answer has no body.
  app.server.on("checkExpectation", (request, response) => app.server.emit("request", request, response));
  app.setNotFoundHandler((request, reply) => {
    throw notFound(request, reply);
  });
}

/** The methods allowed for a path. Fastify's own lookup expects a route pattern, not a path. */
function followRoutes(app: FastifyInstance): (path: string) => string[] {
  const routes: { methods: string[]; pattern: RegExp }[] = [];
  app.addHook("onRoute", ({ method, url }) => {
    const parts = url.split("/").map((part) => (part === "*" ? ".*" : part.startsWith(":") ? "[^/]+" : part.replaceAll(".", "\\.")));
    routes.push({ methods: [method].flat().filter((name) => name !== "OPTIONS"), pattern: new RegExp(`^${parts.join("/")}/?$`) });
  });
  return (path) => [...new Set(routes.flatMap(({ methods, pattern }) => (pattern.test(path) ? methods : [])))];
}

function sendFailure(request: FastifyRequest, reply: FastifyReply, failure: AppError): FastifyReply {
  if (failure.retryAfterSeconds !== undefined) reply.header("retry-after", Math.ceil(failure.retryAfterSeconds));
  return reply
    .code(failure.status)
    .header("cache-control", "no-store")
    .type("application/json; charset=utf-8")
    .send(bodyOf(failure, request.id));
}

/** The one shape of every error. */
export function bodyOf({ code, message, retryable, details }: AppError, requestId: string): Record<string, unknown> {
  return { error: message, requestId, code, message, retryable, ...(details ? { details } : {}) };
}

const byStatus: Record<number, FailureCode> = {
  404: "not_found",
  405: "method_not_allowed",
  413: "payload_too_large",
  414: "uri_too_long",
  415: "unsupported_media_type",
};

/** Maximum size of a request body. */
export const bodyBytesMax = 64 * 1024;

/** By Fastify's error code, where the status alone is too vague. */
const messages: Record<string, string> = {
  FST_ERR_BAD_URL: "The URL can't be decoded: each % must be followed by two hexadecimal digits that encode UTF-8.",
  FST_ERR_CTP_INVALID_JSON_BODY: "The body is not valid JSON.",
  FST_ERR_CTP_EMPTY_JSON_BODY: "The body is empty; it must be JSON.",
  FST_ERR_CTP_INVALID_MEDIA_TYPE: "The body must be JSON, with Content-Type: application/json.",
  FST_ERR_CTP_BODY_TOO_LARGE: `The body has more than ${bodyBytesMax} bytes.`,
};

/** Client errors raised by Fastify keep their meaning; everything else is a bug and its details stay private. */
function foreseen(error: Partial<FastifyError>): AppError {
  const status = error.statusCode ?? 500;
  if (status === 503) return new AppError("unavailable", { message: "The service is shutting down.", retryAfterSeconds: 5 });
  if (status < 400 || status >= 500) return new AppError("internal_error", { cause: error });
  const message = messages[error instanceof SyntaxError ? "FST_ERR_CTP_INVALID_JSON_BODY" : (error.code ?? "")];
  return new AppError(byStatus[status] ?? "invalid_parameters", { cause: error, ...(message ? { message } : {}) });
}

function reasonOf(cause: unknown): string | undefined {
  return cause instanceof Error ? cause.message : undefined;
}
