/** Builds the OpenAPI description of all operations. */

import type { z } from "zod";
import type { FailureCode } from "../../shared/errors.ts";
import { receiveBillingWebhook } from "../account/billing.ts";
import { managementOperations } from "../account/management.ts";
import { batchOperations } from "../batches/state.ts";
import { cancelCaptureOperation, createCaptures, readCapture } from "../captures/state.ts";
import { compareScreenshots } from "../comparisons/compare.ts";
import { destinationOperations } from "../destinations/destinations.ts";
import { readStored, storedOperations } from "../screenshots/stored.ts";
import { takeScreenshotOperation } from "../screenshots/take.ts";
import { takeScreenshotByPost } from "../screenshots/take-post.ts";
import { healthOperations } from "../server/health.ts";
import { pageSessionOperations } from "../sessions/page-sessions.ts";
import { runDifference, watchFeed, watchOperations } from "../watches/operations.ts";
import { failureAnswers, imageAnswer, jsonContent, stateAnswer, unchangedAnswer, zipAnswer } from "./answers.ts";
import { documentOperations } from "./documents.ts";
import { jsonSchemaOf, type Operation } from "./operation.ts";

type JsonObject = Record<string, unknown>;
type JsonSchema = z.core.JSONSchema.BaseSchema;
type Paths = Record<string, Record<string, JsonObject>>;

/** All operations, in documentation order. */
export const operations: Operation[] = [
  takeScreenshotOperation,
  takeScreenshotByPost,
  createCaptures,
  readCapture,
  cancelCaptureOperation,
  ...batchOperations,
  readStored,
  ...storedOperations,
  compareScreenshots,
  ...pageSessionOperations,
  ...destinationOperations,
  ...(Object.values(watchOperations) as Operation[]),
  watchFeed,
  runDifference,
  ...managementOperations,
  receiveBillingWebhook,
  ...healthOperations,
  ...documentOperations,
];

/** JSON schemas of the capture options, by the operation's `options`: query parameters, or the body or its members. */
export interface OptionInputs {
  query: JsonObject[];
  body: JsonObject;
  outputs: JsonObject;
  batch: JsonObject;
  /** Body members by name, in addition to the operation's own. */
  watch: JsonObject;
}

const security: Record<Operation["access"], JsonObject[]> = {
  public: [],
  key: [{ apiKey: [] }, { bearer: [] }, { apiKeyHeader: [] }],
  account: [{ session: [] }],
  admin: [{ session: [] }],
};

/** Describes the operations by path and method, with the schemas they refer to. Yields after each operation. */
export function* describeOperations(inputs: OptionInputs): Generator<void, { paths: Paths; schemas: JsonObject }> {
  const paths: Paths = {};
  const named: Record<string, JsonSchema> = {};
  // Operations with status 302 are called only through an identity provider's redirect.
  for (const operation of operations.filter(({ status }) => status !== 302)) {
    const template = operation.path.replace(/:(\w+)/g, "{$1}");
    paths[template] ??= {};
    paths[template][operation.method.toLowerCase()] = describe(operation, inputs, named);
    yield;
  }
  return { paths, schemas: Object.fromEntries(Object.entries(named).sort(([a], [b]) => a.localeCompare(b))) };
}

function describe(operation: Operation, inputs: OptionInputs, named: Record<string, JsonSchema>): JsonObject {
  const { id, tag, summary, description, access, params, query, options } = operation;
  const parameters = options === "query" ? inputs.query : [...describeParameters(params, "path"), ...describeParameters(query, "query")];
  const content = (schema: z.ZodType, io: "input" | "output") => jsonContent(withNames(jsonSchemaOf(schema, io), named));
  return {
    operationId: id,
    summary,
    tags: [tag],
    ...(description ? { description } : {}),
    security: security[access],
    ...(parameters.length > 0 ? { parameters } : {}),
    ...bodyOf(operation, inputs, content),
    responses: { ...successOf(operation, (schema) => content(schema, "output")), ...failuresOf(operation) },
  };
}

function describeParameters(schema: z.ZodObject, where: "path" | "query"): JsonObject[] {
  const { properties = {}, required = [] } = jsonSchemaOf(schema, "input");
  return Object.entries(properties as Record<string, JsonSchema>).map(([name, { description, ...property }]) => ({
    name,
    in: where,
    required: required.includes(name),
    ...(description ? { description } : {}),
    schema: property,
  }));
}

function bodyOf(
  { access, method, body, options }: Operation,
  inputs: OptionInputs,
  content: (schema: z.ZodType, io: "input") => JsonObject,
) {
  if (options === "body" || options === "outputs" || options === "batch")
    return { requestBody: { required: true, content: jsonContent(inputs[options]) } };
  if (access !== "key") return body.type === "undefined" ? {} : { requestBody: { required: true, content: content(body, "input") } };
  if (method !== "POST" && method !== "PATCH") return {};
  const { properties = {}, required = [] } = body.type === "undefined" ? {} : withNames(jsonSchemaOf(body, "input"), {}); // has no named schemas
  const key = { type: "string", description: "The API key, unless it is sent elsewhere." };
  const schema = {
    type: "object",
    additionalProperties: false,
    ...(required.length > 0 ? { required } : {}),
    properties: { api_key: key, ...(options === "watch" ? inputs.watch : {}), ...properties },
  };
  return { requestBody: { required: required.length > 0, content: jsonContent(schema) } };
}

function successOf(operation: Operation, content: (schema: z.ZodType) => JsonObject): JsonObject {
  const { access, status, answer, summary, unready, responses } = operation;
  if (responses) return responses(content);
  const isWithKey = access === "key";
  const description = `${summary}.`;
  const { contentType, hasEtag } = answer.meta() ?? {};
  if (answer.type === "undefined") return { [status]: isWithKey ? stateAnswer("Done.", {}) : { description: "Done." } };
  if (answer.type === "file" && isWithKey) return { 200: stateAnswer(imageAnswer.description, imageAnswer.content, "image") };
  if (answer.type === "file") return { 200: imageAnswer, ...(hasEtag ? { 304: unchangedAnswer } : {}) };
  if (isWithKey) {
    const text = contentType ? { [contentType]: { schema: { type: "string" } } } : undefined;
    const kinds = [
      ...(status === 202 || status === 201 ? (["queued"] as const) : []),
      ...(contentType === "application/zip" ? (["outputs"] as const) : []),
    ];
    return { [status]: stateAnswer(description, text ?? content(answer), ...kinds) };
  }
  if (contentType === "application/zip") return { 200: zipAnswer(description) };
  if (contentType) return { 200: { description, content: { [contentType]: { schema: { type: "string" } } } } };
  const success = { [status]: { description, content: content(answer) } };
  return unready ? { ...success, 503: { description: unready, content: content(answer) } } : success;
}

function failuresOf(operation: Operation): JsonObject {
  const { access, captures, failures } = operation;
  return access === "key" || captures ? failureAnswers(failures, "any", "capture") : failureAnswers(codesOf(operation));
}

function codesOf(operation: Operation): FailureCode[] {
  const { access, method, path, query, body, readsOwnQuery, beforeSecondFactor, checksOrigin, changesNothing, failures: own } = operation;
  if (!path.startsWith("/v1/")) return own;
  const takesInput = (Object.keys(query.shape).length > 0 && !readsOwnQuery) || body.type !== "undefined";
  const isChange = access !== "public" && method !== "GET" && !changesNothing;
  const codes: FailureCode[] = [
    ...(takesInput ? (["invalid_parameters"] as const) : []),
    ...(access === "public" ? [] : (["not_signed_in"] as const)),
    ...(access === "public" || beforeSecondFactor ? [] : (["second_factor_required"] as const)),
    ...(access === "admin" ? (["not_permitted"] as const) : []),
    ...(method !== "GET" && checksOrigin ? (["origin_not_allowed"] as const) : []),
    ...own,
    ...(isChange ? (["rate_limited"] as const) : []),
    "internal_error",
    "unavailable",
  ];
  return [...new Set(codes)];
}

/** Replaces named schemas with references, adds them to `named`, and removes our own keywords. */
export function withNames(schema: JsonSchema, named: Record<string, JsonSchema>): JsonSchema {
  if (Array.isArray(schema)) return schema.map((one) => withNames(one as JsonSchema, named)) as never;
  if (typeof schema !== "object" || schema === null) return schema;
  const { schemaName, secret, valid, contentType, hasEtag, ...rest } = schema;
  const plain = mapValues(rest, (value, name) =>
    // A property may have the name of one of our keywords.
    name === "properties"
      ? mapValues(value as JsonObject, (one) => withNames(one as JsonSchema, named))
      : withNames(value as JsonSchema, named),
  );
  if (typeof schemaName !== "string") return plain;
  named[schemaName] = plain;
  return { $ref: `#/components/schemas/${schemaName}` };
}

function mapValues(of: JsonObject, change: (value: unknown, name: string) => unknown): JsonObject {
  return Object.fromEntries(Object.entries(of).map(([name, value]) => [name, change(value, name)]));
}
