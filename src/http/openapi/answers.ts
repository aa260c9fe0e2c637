/** OpenAPI responses shared by several operations. */

import { type FailureCode, failures } from "../../shared/errors.ts";
import { type Format, formats, imageFormats, mediaTypeOf } from "../../shared/formats.ts";
import { headersOn } from "./answer-headers.ts";

type JsonObject = Record<string, unknown>;

const binary = { schema: { type: "string", format: "binary" } };
const contentOf = (some: readonly Format[]): JsonObject => Object.fromEntries(some.map((format) => [mediaTypeOf(format), binary]));
const imageContent = contentOf(imageFormats);
/** Schemas of the JSON formats, except `har`. */
const jsonFormats = [schemaRef("Metadata"), schemaRef("Elements")];
const captureContent = { ...contentOf(formats), ...jsonContent({ anyOf: jsonFormats }) };

export function jsonContent(schema: object): JsonObject {
  return { "application/json": { schema } };
}

function schemaRef(name: string): JsonObject {
  return { $ref: `#/components/schemas/${name}` };
}

/** Kinds of responses whose headers are listed per operation. Other headers are the same for every operation, or of no use to clients. */
const describedKinds = ["any", "capture", "screenshot", "outputs", "queued", "image", "failure", "retry"] as const;

type DescribedKind = (typeof describedKinds)[number];

export const describedHeaders = headersOn(...describedKinds);

function headerRefs(...kinds: DescribedKind[]): JsonObject {
  return Object.fromEntries(headersOn(...kinds).map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** An image drawn by the service itself. */
export const drawingContent: JsonObject = { "image/png": binary };

/** A stored capture. */
export const imageAnswer = { description: "The image or document.", headers: headerRefs("any", "image"), content: captureContent };

const unchanged = "The client already has this image (`If-None-Match`).";
export const unchangedAnswer = { description: unchanged, headers: headerRefs("any", "image") };

/** Successful responses of operations that capture. */
export const captureAnswers: JsonObject = {
  200: {
    description:
      "The image or document in the requested `format`; a description of the capture with `response_type=json`; the effective options with `dry_run`.",
    headers: headerRefs("any", "capture", "screenshot", "image"),
    content: {
      ...captureContent,
      ...jsonContent({ anyOf: [schemaRef("Screenshot"), schemaRef("DryRun"), ...jsonFormats] }),
    },
  },
  204: {
    description: "Captured and stored, with `response_type=empty`.",
    headers: headerRefs("any", "capture", "screenshot"),
  },
  304: {
    description: unchanged,
    headers: headerRefs("any", "capture", "screenshot"),
  },
};

/** @param content response schemas by content type. */
export function outputsAnswer(content: JsonObject): JsonObject {
  const zip = { "application/zip": binary };
  return {
    description: "The outputs, with links to them, or a ZIP with their files.",
    headers: headerRefs("any", "capture", "outputs"),
    content: { ...content, ...zip },
  };
}

/** A zip with the files of captures. */
export function zipAnswer(description: string): JsonObject {
  return { description, headers: headerRefs("any", "outputs"), content: { "application/zip": binary } };
}

/** The response to a request with an API key. @param content response schemas by content type. */
export function stateAnswer(description: string, content: JsonObject, ...kinds: DescribedKind[]): JsonObject {
  return { description, headers: headerRefs("any", "capture", ...kinds), content };
}

/** One response per status of `codes`; its description lists the codes. @param kinds response kinds that determine the headers. */
export function failureAnswers(codes: readonly FailureCode[], ...kinds: DescribedKind[]): JsonObject {
  const byStatus = Object.groupBy(codes, (code) => String(failures[code].status));
  return Object.fromEntries(Object.entries(byStatus).map(([status, some = []]) => [status, failureAnswer(some, ...kinds)]));
}

function failureAnswer(codes: readonly FailureCode[], ...kinds: DescribedKind[]): JsonObject {
  const retry = codes.some((code) => [429, 503].includes(failures[code].status));
  const headers = headerRefs(...kinds, "failure", ...(retry ? (["retry"] as const) : []));
  const images = kinds.includes("capture") ? imageContent : {}; // with `error_image`
  return {
    description: codes.map((code) => `\`${code}\`: ${failures[code].message}`).join(" "),
    headers,
    content: { ...jsonContent(schemaRef("Error")), ...images },
  };
}

export function captureFailures(): FailureCode[] {
  const codes = Object.keys(failures) as FailureCode[];
  return codes.filter((code) => !("management" in failures[code]) && [400, 403, 404, 429, 500, 503].includes(failures[code].status));
}

export function playgroundFailures(): FailureCode[] {
  return [...captureFailures().filter(isPossibleWithoutKey), "not_signed_in", "second_factor_required", "origin_not_allowed"];
}

function isPossibleWithoutKey(code: FailureCode): boolean {
  return !["invalid_api_key", "domain_not_allowed", "target_not_allowed", "signature_invalid"].includes(code);
}

/** Errors that every operation may return. */
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

/** Adds `commonFailure` as the `default` response of every operation. */
export function withDefaultAnswer(paths: Record<string, Record<string, JsonObject>>): JsonObject {
  const common = { $ref: "#/components/responses/CommonFailure" };
  const complete = (operation: JsonObject) => ({ ...operation, responses: { ...(operation.responses as object), default: common } });
  const mapValues = <T, U>(of: Record<string, T>, change: (value: T) => U) =>
    Object.fromEntries(Object.entries(of).map(([name, value]) => [name, change(value)]));
  return mapValues(paths, (methods) => mapValues(methods, complete));
}
