/** The interface's description, OpenAPI 3.1, derived from the options' registry and the table of failures. */

import type { z } from "zod";
import { type createOptionsSchema, groups, parameterNames } from "../capture/options.ts";
import { type FailureCode, failures } from "../errors.ts";
import { managementComponents, managementPaths, managementTags } from "./openapi-management.ts";
import { parameterSchemas } from "./validation.ts";

type JsonObject = Record<string, unknown>;

const statusWords: Record<number, string> = {
  304: "The client has this picture already (`If-None-Match`).",
  400: "What the caller or the target caused; `details` names every wrong parameter.",
  403: "The key, its domain, its targets or its quota don't allow it.",
  429: "Too much at once; `Retry-After` says when to come back.",
  500: "A fault of the service.",
  503: "The service can't answer right now; `Retry-After` says when to come back.",
};

/** @param schema of the options within the limits that the document shall show. */
export function createOpenApi(schema: ReturnType<typeof createOptionsSchema>, version: string): JsonObject {
  return {
    openapi: "3.1.0",
    info: {
      title: "Tintype",
      version,
      summary: "Website screenshots over HTTP.",
      description: "One GET, one picture: `GET /v1/screenshots/take?api_key=…&url=…` answers with the picture of that page.",
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: "/", description: "This service" }],
    tags: [
      { name: "Screenshots", description: "Taking and fetching pictures." },
      ...managementTags,
      { name: "Health", description: "Whether the service works." },
    ],
    paths: {
      "/v1/screenshots/take": { get: takeOperation(schema) },
      "/v1/screenshots/{file}": { get: storedOperation() },
      ...managementPaths(),
      "/health": { get: healthOperation("getHealth", "What works and what doesn't", "Health", "Unhealthy: nothing can be captured.") },
      "/health/ready": { get: healthOperation("getReadiness", "Whether requests are wanted", "Readiness", "Not ready.") },
      "/health/live": {
        get: {
          ...operation("getLiveness", "Whether the process is alive", "Health"),
          security: [],
          responses: { 200: answer("Alive.", "Liveness") },
        },
      },
    },
    components: {
      securitySchemes: {
        apiKey: { type: "apiKey", in: "query", name: "api_key", description: "The API key." },
        ...managementComponents.securitySchemes,
      },
      schemas: { ...schemas, ...managementComponents.schemas },
      headers,
    },
  };
}

function operation(operationId: string, summary: string, tag: string): JsonObject {
  return { operationId, summary, tags: [tag] };
}

function takeOperation(schema: ReturnType<typeof createOptionsSchema>): JsonObject {
  const image = { schema: { type: "string", format: "binary" } };
  const ok = {
    description:
      "The picture, in the `format` that was asked for; its description with `response_type=json`, what would be done with `dry_run`.",
    headers: refs(
      "X-RateLimit-Limit",
      "X-RateLimit-Remaining",
      "X-RateLimit-Reset",
      "X-Request-Id",
      "X-Cache",
      "X-Target-Status",
      "X-Target-Url",
      "X-Warnings",
      "ETag",
      "Content-Disposition",
      "Server-Timing",
    ),
    content: {
      "image/jpeg": image,
      "image/png": image,
      "image/webp": image,
      "application/json": {
        schema: { oneOf: [{ $ref: "#/components/schemas/Screenshot" }, { $ref: "#/components/schemas/DryRun" }] },
      },
    },
  };
  return {
    ...operation("takeScreenshot", "Take a screenshot", "Screenshots"),
    description:
      "Unknown parameters are ignored and named in `X-Warnings`. A parameter with an empty value counts as absent. `HEAD` captures and stores in the same way and answers with the headers alone, which warms the cache.",
    security: [{ apiKey: [] }],
    parameters: Object.entries(parameterSchemas(schema)).map(([name, property]) => parameter(name, property)),
    responses: {
      200: ok,
      204: { description: "Captured and stored; asked for with `response_type=empty`." },
      304: { description: statusWords[304] },
      ...failureAnswers([400, 403, 429, 500, 503]),
    },
  };
}

function parameter(name: string, property: z.core.JSONSchema.BaseSchema): JsonObject {
  const { description, examples, secret, reading, pairs, charactersMax, valid, identity, ...schema } = property;
  const together = charactersMax ? ` Together at most ${charactersMax} characters.` : "";
  const several = reading === "lines" ? " Several: separated by newlines, as repeated parameters, or as JSON." : "";
  return {
    name,
    in: "query",
    description: `${description}${together}${several}`,
    required: name === "url",
    schema: { ...schema, ...(examples ? { examples } : {}) },
    example: exampleOf(property),
    ...(schema.type === "array" ? { style: "form", explode: true } : {}),
    "x-group": groupOf(name),
    ...(secret ? { "x-secret": true } : {}),
  };
}

/** Every parameter has one: its own, or what its schema gives. */
export function exampleOf({ examples, type, default: fallback, enum: words }: z.core.JSONSchema.BaseSchema): unknown {
  return (examples as unknown[] | undefined)?.[0] ?? (type === "boolean" ? true : (fallback ?? words?.[0]));
}

function groupOf(name: string): string | undefined {
  return groups.find((group) => parameterNames(group).includes(name))?.title;
}

function storedOperation(): JsonObject {
  const text = (name: string, where: string, description: string) => ({
    name,
    in: where,
    required: true,
    description,
    schema: { type: "string" },
  });
  const image = { schema: { type: "string", format: "binary" } };
  return {
    ...operation("getStoredScreenshot", "Fetch a stored screenshot by its signed link", "Screenshots"),
    description: "The links come from `response_type=json` and are valid for a day.",
    security: [],
    parameters: [
      text("file", "path", "Id and extension of the picture."),
      text("expires", "query", "End of the link's validity, Unix seconds."),
      text("signature", "query", "Signature of the link."),
    ],
    responses: {
      200: { description: "The picture.", content: { "image/jpeg": image, "image/png": image, "image/webp": image } },
      ...failureAnswers([403, 503]),
      404: errorAnswer("There is no such picture, or no longer.", ["not_found"]),
    },
  };
}

function healthOperation(operationId: string, summary: string, schema: string, words: string): JsonObject {
  return {
    ...operation(operationId, summary, "Health"),
    security: [],
    responses: { 200: answer(`${summary}.`, schema), 503: answer(words, schema) },
  };
}

function answer(description: string, schema: string): JsonObject {
  return { description, content: { "application/json": { schema: { $ref: `#/components/schemas/${schema}` } } } };
}

function failureAnswers(statuses: number[]): JsonObject {
  const codes = Object.keys(failures) as FailureCode[];
  return Object.fromEntries(
    statuses.map((status) => [
      status,
      errorAnswer(
        statusWords[status] ?? "",
        codes.filter((code) => failures[code].status === status && !("management" in failures[code])),
      ),
    ]),
  );
}

function errorAnswer(description: string, codes: FailureCode[]): JsonObject {
  const retry = codes.some((code) => [429, 503].includes(failures[code].status));
  return {
    ...answer(`${description} Codes: ${codes.map((code) => `\`${code}\``).join(", ")}.`, "Error"),
    headers: refs("X-Request-Id", ...(retry ? ["Retry-After"] : [])),
  };
}

function refs(...names: string[]): JsonObject {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

const header = (description: string, type: "integer" | "string") => ({ description, schema: { type } });

const headers = {
  "X-RateLimit-Limit": header("Requests per minute that the key may make.", "integer"),
  "X-RateLimit-Remaining": header("Requests left in the current minute.", "integer"),
  "X-RateLimit-Reset": header("When the current minute ends, Unix seconds.", "integer"),
  "X-Request-Id": header("Id of the request, as in the logs.", "string"),
  "X-Cache": header("HIT: stored earlier; MISS: taken now; COALESCED: taken now for another, identical request.", "string"),
  "X-Target-Status": header("HTTP status of the page.", "integer"),
  "X-Target-Url": header("Address of the page after redirects.", "string"),
  "X-Warnings": header("What was cut, ignored or repaired.", "string"),
  ETag: header("Hash of the picture.", "string"),
  "Content-Disposition": header("File name of the picture; an attachment with `attachment_name`.", "string"),
  "Server-Timing": header("Milliseconds of the capture's phases; of the wait also how it ended: ready or timeout.", "string"),
  "Retry-After": header("Seconds after which to try again.", "integer"),
};

const text = { type: "string" };
const integer = { type: "integer" };
const timestamp = { type: "string", format: "date-time" };

function object(properties: JsonObject, required = Object.keys(properties)): JsonObject {
  return { type: "object", properties, required };
}

const schemas = {
  Error: object(
    {
      error: { ...text, description: "What went wrong, for a person." },
      requestId: text,
      code: { ...text, enum: Object.keys(failures), description: "What went wrong, for a program; stable." },
      message: { ...text, description: "The same words as `error`." },
      retryable: { type: "boolean", description: "Whether the same request may work later." },
      details: { type: "array", items: object({ parameter: text, message: text, allowed: text }, ["parameter", "message"]) },
    },
    ["error", "requestId", "code", "message", "retryable"],
  ),
  Screenshot: object({
    id: { ...text, format: "uuid" },
    url: { type: ["string", "null"], description: "Link to the picture, valid for a day; null when it could not be stored." },
    format: { ...text, enum: ["jpeg", "png", "webp"] },
    bytes: integer,
    width: { ...integer, description: "Device pixels." },
    height: { ...integer, description: "Device pixels." },
    title: { ...text, description: "Title of the page." },
    target: object({ status: { type: ["integer", "null"] }, url: text }),
    cache: { ...text, enum: ["HIT", "MISS", "COALESCED"] },
    captured_at: timestamp,
    timings: { type: "object", additionalProperties: integer, description: "Milliseconds of each phase." },
    wait_ended: {
      ...text,
      enum: ["ready", "timeout"],
      description:
        "Whether the page became ready as `wait_until` asks, or was captured when `wait_until_timeout` was over; missing for a stored picture.",
    },
    warnings: { type: "array", items: text },
  }),
  DryRun: object({
    dry_run: { type: "boolean", enum: [true] },
    options: { type: "object", description: "Every option as it would count; of secret ones only that they were given." },
    warnings: { type: "array", items: text },
    cache: object({
      state: { ...text, enum: ["HIT", "MISS", "OFF"], description: "OFF: the request doesn't ask for cached pictures." },
      captured_at: { type: ["string", "null"], format: "date-time", description: "When the stored picture was taken." },
      id: { type: ["string", "null"], format: "uuid" },
    }),
  }),
  Health: object({
    status: { ...text, enum: ["healthy", "degraded", "unhealthy"] },
    timestamp,
    uptime: { type: "number", description: "Seconds since the process started." },
    version: text,
    checks: {
      type: "array",
      items: object(
        {
          name: { ...text, enum: ["database", "cache", "storage", "browser"] },
          status: { ...text, enum: ["pass", "fail"] },
          duration: { ...integer, description: "Milliseconds." },
          error: text,
          details: { type: "object" },
        },
        ["name", "status", "duration"],
      ),
    },
  }),
  Readiness: object({ status: { ...text, enum: ["ready", "not ready"] }, timestamp, error: text }, ["status", "timestamp"]),
  Liveness: object({ status: { ...text, enum: ["alive"] }, timestamp }),
};
