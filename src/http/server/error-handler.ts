/** The error handler: responds to every error with the same JSON shape, or with the body that the route has set, such as an error image. */

import type { FastifyError, FastifyReply, FastifyRequest } from "fastify";
import { AppError, ClientGone, type FailureCode, problemsMax } from "../../shared/errors.ts";
import type { Metrics } from "../../telemetry/metrics.ts";
import { clientGoneStatus } from "./requests.ts";

export type AnswerFailure = (error: FastifyError | AppError | Error, request: FastifyRequest, reply: FastifyReply) => FastifyReply;

/** Also handles requests that Fastify rejects before routing. */
export function createAnswerFailure(metrics: Metrics): AnswerFailure {
  return (error, request, reply) => {
    if (error instanceof ClientGone) return reply.code(clientGoneStatus).send(); // only for the log: the connection is closed
    const failure = asFailure(error, request.routeOptions?.bodyLimit);
    reportFailure(failure, request, metrics);
    return sendFailure(request, reply, failure);
  };
}

/** Converts anything thrown into an `AppError`. @param bodyLimit the route's body limit, in bytes. */
export function asFailure(error: FastifyError | Error, bodyLimit = bodyBytesMax): AppError {
  return error instanceof AppError ? error : fromFastify(error, bodyLimit);
}

export function reportFailure(failure: AppError, request: FastifyRequest, metrics: Pick<Metrics, "failures">): void {
  if (failure.code === "internal_error") request.log.error({ err: failure.cause ?? failure }, "failed");
  else {
    // Names only: messages quote the input, which may contain a secret.
    const parameters = failure.details?.map(({ parameter }) => parameter.slice(0, 100));
    request.log.info({ code: failure.code, parameters, cause: Object(failure.cause).message }, "refused");
  }
  metrics.failures.inc({ code: failure.code });
}

interface ErrorBody {
  /** Content type. */
  type: string;
  bytes: Buffer;
  /** Overrides the status of the error. */
  status?: number;
}

const errorBodies = new WeakMap<FastifyRequest, ErrorBody>();

/** Sets the body to send instead of JSON if the request fails. The first call wins. */
export function setErrorBody(request: FastifyRequest, body: ErrorBody): void {
  if (!errorBodies.has(request)) errorBodies.set(request, body);
}

function sendFailure(request: FastifyRequest, reply: FastifyReply, failure: AppError): FastifyReply {
  if (failure.retryAfterSeconds !== undefined) reply.header("retry-after", Math.ceil(failure.retryAfterSeconds));
  if (failure.screenshotId !== undefined) reply.header("x-screenshot-id", failure.screenshotId);
  // The body of an unsupported type isn't read: another request on the connection would wait behind it.
  if (failure.code === "unsupported_media_type") reply.header("connection", "close");
  const json = { type: "application/json; charset=utf-8", bytes: errorBodyOf(failure, request.id), status: failure.status };
  const { type, bytes, status = failure.status } = errorBodies.get(request) ?? json;
  return reply.code(status).header("cache-control", "no-store").header("x-error-code", failure.code).type(type).send(bytes);
}

/** The JSON body of every error. */
export function errorBodyOf({ code, message, retryable, details, explanation }: AppError, requestId: string): Record<string, unknown> {
  return {
    error: message,
    requestId,
    code,
    message,
    retryable,
    ...(details ? { details: details.slice(0, problemsMax) } : {}),
    ...(explanation ? { explanation } : {}),
  };
}

const byStatus: Record<number, FailureCode> = {
  404: "not_found",
  405: "method_not_allowed",
  414: "uri_too_long",
  415: "unsupported_media_type",
};

/** Default maximum size of a request body. */
export const bodyBytesMax = 64 * 1024;

/** Messages by Fastify error code, where the status alone is too vague. */
const messages: Record<string, string> = {
  FST_ERR_BAD_URL: "The URL can't be decoded: each % must be followed by two hexadecimal digits that encode UTF-8.",
  FST_ERR_CTP_INVALID_JSON_BODY: "The body is not valid JSON.",
  FST_ERR_CTP_EMPTY_JSON_BODY: "The body is empty; it must be JSON.",
  FST_ERR_CTP_INVALID_MEDIA_TYPE: "The body must be JSON, with Content-Type: application/json.",
};

/** Maps Fastify's client errors to our codes. Anything else is a bug, whose details are not disclosed. */
function fromFastify(error: Partial<FastifyError>, bodyLimit: number): AppError {
  const status = error.statusCode ?? 500;
  if (status < 400 || status >= 500) return new AppError("internal_error", { cause: error });
  if (status === 413) return new AppError("payload_too_large", { message: `The body is larger than ${bodyLimit} bytes.` });
  const message = messages[error instanceof SyntaxError ? "FST_ERR_CTP_INVALID_JSON_BODY" : (error.code ?? "")];
  return new AppError(byStatus[status] ?? "invalid_parameters", { cause: error, ...(message ? { message } : {}) });
}
