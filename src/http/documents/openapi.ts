/** The interface's description, OpenAPI 3.1, derived from the options' registry and the table of failures. */

import type { z } from "zod";
import { parameterNames } from "../../capture/options.ts";
import { type FailureCode, failures } from "../../errors.ts";
import { type TakeSchema, takeGroups } from "../../screenshots/take-options.ts";
import {
  captureAnswers,
  commonFailure,
  failureAnswers,
  imageAnswer,
  jsonContent,
  schemaRef,
  withDefaultAnswer,
} from "../openapi-answers.ts";
import { parameterSchemas } from "../validation.ts";
import { headers, schemas } from "./openapi-components.ts";
import { managementComponents, managementPaths, managementTags } from "./openapi-management.ts";

type JsonObject = Record<string, unknown>;

/** @param schema of the options within the limits that the document shall show. */
export function createOpenApi(schema: TakeSchema, version: string): JsonObject {
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
      { name: "Documents", description: "The description of the API." },
    ],
    paths: withDefaultAnswer({
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
      "/": {
        get: documentOperation(
          "getRoot",
          "Where the API and its documents are; a browser is redirected to `/docs`",
          jsonContent(schemaRef("Root")),
        ),
      },
      "/openapi.json": { get: documentOperation("getOpenApiJson", "This description as JSON", jsonContent({ type: "object" })) },
      "/openapi.yaml": {
        get: documentOperation("getOpenApiYaml", "This description as YAML", { "application/yaml": { schema: { type: "string" } } }),
      },
    }),
    components: {
      securitySchemes: {
        apiKey: { type: "apiKey", in: "query", name: "api_key", description: "The API key." },
        ...managementComponents.securitySchemes,
      },
      schemas: { ...schemas, ...managementComponents.schemas },
      responses: { CommonFailure: commonFailure },
      headers,
    },
  };
}

function operation(operationId: string, summary: string, tag: string): JsonObject {
  return { operationId, summary, tags: [tag] };
}

function takeOperation(schema: TakeSchema): JsonObject {
  return {
    ...operation("takeScreenshot", "Take a screenshot", "Screenshots"),
    description:
      "Unknown parameters are ignored and named in `X-Warnings`. A parameter with an empty value counts as absent. `HEAD` captures and stores in the same way and answers with the headers alone, which warms the cache.",
    security: [{ apiKey: [] }],
    parameters: Object.entries(parameterSchemas(schema)).map(([name, property]) => parameter(name, property)),
    responses: { ...captureAnswers, ...failureAnswers(codesOf(400, 403, 429, 500, 503), "any", "capture") },
  };
}

/** Failures with one of these statuses that a request for a capture can meet. */
function codesOf(...statuses: number[]): FailureCode[] {
  const codes = Object.keys(failures) as FailureCode[];
  return codes.filter((code) => statuses.includes(failures[code].status) && !("management" in failures[code]));
}

function parameter(name: string, property: z.core.JSONSchema.BaseSchema): JsonObject {
  const { description, examples, secret, reading, pairs, charactersMax, valid, identity, unit, ...schema } = property;
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
  return takeGroups.find((group) => parameterNames(group).includes(name))?.title;
}

function storedOperation(): JsonObject {
  const text = (name: string, where: string, description: string) => ({
    name,
    in: where,
    required: true,
    description,
    schema: { type: "string" },
  });
  return {
    ...operation("getStoredScreenshot", "Fetch a stored screenshot by its signed link", "Screenshots"),
    description: "The links come from `response_type=json` and are valid for a day. `HEAD` answers with the headers alone.",
    security: [],
    parameters: [
      text("file", "path", "Id and extension of the picture."),
      text("expires", "query", "End of the link's validity, Unix seconds."),
      text("signature", "query", "Signature of the link."),
    ],
    responses: {
      200: imageAnswer,
      ...failureAnswers(["signature_invalid", "not_found", "internal_error", "unavailable"]),
    },
  };
}

function documentOperation(operationId: string, summary: string, content: JsonObject): JsonObject {
  return { ...operation(operationId, summary, "Documents"), security: [], responses: { 200: { description: `${summary}.`, content } } };
}

function healthOperation(operationId: string, summary: string, schema: string, words: string): JsonObject {
  return {
    ...operation(operationId, summary, "Health"),
    security: [],
    responses: { 200: answer(`${summary}.`, schema), 503: answer(words, schema) },
  };
}

function answer(description: string, schema: string): JsonObject {
  return { description, content: jsonContent(schemaRef(schema)) };
}
