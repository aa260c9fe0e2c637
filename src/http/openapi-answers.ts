/** Responses of the OpenAPI description that operations share. */

import { type FailureCode, failures } from "../errors.ts";
import { headersOn } from "./answer-headers.ts";

type JsonObject = Record<string, unknown>;

const image = { schema: { type: "string", format: "binary" } };
const pictureContent = { "image/jpeg": image, "image/png": image, "image/webp": image };

export function jsonContent(schema: object): JsonObject {
  return { "application/json": { schema } };
}

export function schemaRef(name: string): JsonObject {
  return { $ref: `#/components/schemas/${name}` };
}

/** Kinds of answers whose headers each operation lists; the others are the same for all operations, or for no client to read. */
const describedKinds = ["any", "capture", "screenshot", "image", "retry"] as const;

type DescribedKind = (typeof describedKinds)[number];

export const describedHeaders = headersOn(...describedKinds);

function headerRefs(...kinds: DescribedKind[]): JsonObject {
  return Object.fromEntries(headersOn(...kinds).map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** An image in one of its formats, not of a new capture. */
export const imageAnswer = { description: "The picture.", headers: headerRefs("any", "image"), content: pictureContent };

const unchanged = "The client has this picture already (`If-None-Match`).";
export const unchangedAnswer = { description: unchanged, headers: headerRefs("any", "image") };

/** Successful responses of the operations that capture. */
export const captureAnswers: JsonObject = {
  200: {
    description:
      "The picture, in the `format` that was asked for; its description with `response_type=json`, what would be done with `dry_run`.",
    headers: headerRefs("any", "capture", "screenshot", "image"),
    content: { ...pictureContent, ...jsonContent({ oneOf: [schemaRef("Screenshot"), schemaRef("DryRun")] }) },
  },
  204: {
    description: "Captured and stored; asked for with `response_type=empty`.",
    headers: headerRefs("any", "capture", "screenshot"),
  },
  304: {
    description: unchanged,
    headers: headerRefs("any", "capture", "screenshot"),
  },
};

/** One response for each status among `codes`; its description lists them. `kinds`: what else these answers are. */
export function failureAnswers(codes: readonly FailureCode[], ...kinds: DescribedKind[]): JsonObject {
  const byStatus = Object.groupBy(codes, (code) => String(failures[code].status));
  return Object.fromEntries(Object.entries(byStatus).map(([status, some = []]) => [status, failureAnswer(some, ...kinds)]));
}

function failureAnswer(codes: readonly FailureCode[], ...kinds: DescribedKind[]): JsonObject {
  const retry = codes.some((code) => [429, 503].includes(failures[code].status));
  const headers = headerRefs(...kinds, ...(retry ? (["retry"] as const) : []));
  return {
    description: codes.map((code) => `\`${code}\`: ${failures[code].message}`).join(" "),
    ...(Object.keys(headers).length > 0 ? { headers } : {}),
    content: jsonContent(schemaRef("Error")),
  };
}

/** Possible for every request, before or beside what its operation does. */
export const commonFailure = failureAnswer(
  [
    "invalid_parameters",
    "request_timeout",
    "payload_too_large",
    "uri_too_long",
    "unsupported_media_type",
    "headers_too_large",
    "internal_error",
    "unavailable",
  ],
  "any",
);

/** The same paths, with the common failure as every operation's `default` response. */
export function withDefaultAnswer(paths: Record<string, Record<string, JsonObject>>): JsonObject {
  const common = { $ref: "#/components/responses/CommonFailure" };
  const complete = (operation: JsonObject) => ({ ...operation, responses: { ...(operation.responses as object), default: common } });
  const mapValues = <T, U>(of: Record<string, T>, change: (value: T) => U) =>
    Object.fromEntries(Object.entries(of).map(([name, value]) => [name, change(value)]));
  return mapValues(paths, (methods) => mapValues(methods, complete));
}
