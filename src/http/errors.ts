/** The one error handler: whatever is thrown ends here, in one JSON shape. */

import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from "fastify";
import { AppError, ClientGone, type FailureCode } from "../errors.ts";
import type { Metrics } from "../metrics.ts";

export function handleErrors(app: FastifyInstance, metrics: Metrics): void {
  app.setErrorHandler((error: FastifyError | AppError | Error, request, reply) => {
    if (error instanceof ClientGone) {
      request.log.info("the caller left before the answer");
      return reply.code(499).send(); // the connection is closed; the code is for the log
    }
    const failure = error instanceof AppError ? error : foreseen(error);
    if (failure.code === "internal_error") request.log.error({ err: error }, "failed");
    else request.log.info({ code: failure.code, details: failure.details, cause: reasonOf(failure.cause) }, "refused");
    metrics.failures.inc({ code: failure.code });
    return sendFailure(request, reply, failure);
  });
  app.setNotFoundHandler((request) => {
    const methods = (["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"] as HTTPMethods[]).filter((method) =>
      app.hasRoute({ method, url: pathOf(request) }),
    );
    if (methods.length > 0) throw new AppError("method_not_allowed", { message: `This address answers to ${methods.join(", ")} only.` });
    throw new AppError("not_found");
  });
}

function sendFailure(request: FastifyRequest, reply: FastifyReply, failure: AppError): FastifyReply {
  const { code, status, message, retryable, details } = failure;
  if (failure.retryAfterSeconds !== undefined) reply.header("retry-after", Math.ceil(failure.retryAfterSeconds));
  return reply
    .code(status)
    .header("cache-control", "no-store")
    .type("application/json; charset=utf-8")
    .send({ error: message, requestId: request.id, code, message, retryable, ...(details ? { details } : {}) });
}

const byStatus: Record<number, FailureCode> = {
  404: "not_found",
  405: "method_not_allowed",
  413: "payload_too_large",
  414: "uri_too_long",
  415: "unsupported_media_type",
};

/** Fastify's own refusals of a request keep their meaning; everything else is a bug of ours, of which nothing is told. */
function foreseen(error: Partial<FastifyError>): AppError {
  const status = error.statusCode ?? 500;
  if (status === 503) return new AppError("unavailable", { message: "The service is shutting down.", retryAfterSeconds: 5 });
  if (status < 400 || status >= 500) return new AppError("internal_error", { cause: error });
  return new AppError(byStatus[status] ?? "invalid_parameters", { cause: error });
}

function reasonOf(cause: unknown): string | undefined {
  return cause instanceof Error ? cause.message : undefined;
}

export function pathOf(request: FastifyRequest): string {
  return request.url.split("?", 1)[0] ?? "";
}
