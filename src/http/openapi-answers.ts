/** Responses of the OpenAPI description that operations share. */

import { type FailureCode, failures } from "../errors.ts";

type JsonObject = Record<string, unknown>;

const image = { schema: { type: "string", format: "binary" } };
export const pictureContent = { "image/jpeg": image, "image/png": image, "image/webp": image };

export function jsonContent(schema: object): JsonObject {
  return { "application/json": { schema } };
}

export function schemaRef(name: string): JsonObject {
  return { $ref: `#/components/schemas/${name}` };
}

function headerRefs(...names: string[]): JsonObject {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** Successful responses of the operations that capture. */
export const captureAnswers: JsonObject = {
  200: {
    description:
      "The picture, in the `format` that was asked for; its description with `response_type=json`, what would be done with `dry_run`.",
    headers: headerRefs(
      "X-RateLimit-Limit",
      "X-RateLimit-Remaining",
      "X-RateLimit-Reset",
      "X-Request-Id",
      "X-Cache",
      "X-Target-Status",
      "X-Target-Url",
      "X-Warnings",
      "Cache-Control",
      "ETag",
      "Content-Disposition",
      "Server-Timing",
    ),
    content: { ...pictureContent, ...jsonContent({ oneOf: [schemaRef("Screenshot"), schemaRef("DryRun")] }) },
  },
  204: { description: "Captured and stored; asked for with `response_type=empty`." },
  304: { description: "The client has this picture already (`If-None-Match`)." },
};

/** One response for each status among `codes`; its description lists them. */
export function failureAnswers(codes: readonly FailureCode[]): JsonObject {
  const byStatus = Object.groupBy(codes, (code) => String(failures[code].status));
  return Object.fromEntries(Object.entries(byStatus).map(([status, some = []]) => [status, failureAnswer(some)]));
}

function failureAnswer(codes: readonly FailureCode[]): JsonObject {
  const retry = codes.some((code) => [429, 503].includes(failures[code].status));
  return {
    description: codes.map((code) => `\`${code}\`: ${failures[code].message}`).join(" "),
    headers: headerRefs("X-Request-Id", ...(retry ? ["Retry-After"] : [])),
    content: jsonContent(schemaRef("Error")),
  };
}

/** Possible for every request, before or beside what its operation does. */
export const commonFailure = failureAnswer([
  "invalid_parameters",
  "request_timeout",
  "payload_too_large",
  "uri_too_long",
  "unsupported_media_type",
  "headers_too_large",
  "internal_error",
  "unavailable",
]);

/** The same paths, with the common failure as every operation's `default` response. */
export function withDefaultAnswer(paths: Record<string, Record<string, JsonObject>>): JsonObject {
  const common = { $ref: "#/components/responses/CommonFailure" };
  const complete = (operation: JsonObject) => ({ ...operation, responses: { ...(operation.responses as object), default: common } });
  const mapValues = <T, U>(of: Record<string, T>, change: (value: T) => U) =>
    Object.fromEntries(Object.entries(of).map(([name, value]) => [name, change(value)]));
  return mapValues(paths, (methods) => mapValues(methods, complete));
}
