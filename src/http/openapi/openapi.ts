/** Builds the OpenAPI 3.1 description from the operations, the option registry and the table of failures. */

import type { z } from "zod";
import { parameterNames } from "../../capture/options.ts";
import { type TakeSchema, takeGroups } from "../../screenshots/take/take-options.ts";
import { crawlProperty } from "../batches/crawl.ts";
import { capturesMax } from "../batches/input.ts";
import { outputName, outputsMax, responseTypes, scopeOf } from "../captures/input.ts";
import { parameterSchemas } from "../input/validation.ts";
import { watchOptions } from "../watches/input.ts";
import { commonFailure, withDefaultAnswer } from "./answers.ts";
import { headers, schemas } from "./components.ts";
import type { Operation } from "./operation.ts";
import { describeOperations, withNames } from "./operations.ts";

type JsonObject = Record<string, unknown>;

const tagDescriptions: Record<Operation["tag"], string> = {
  Screenshots: "Take and fetch screenshots.",
  Sessions: "Cookies and storage for pages that need a sign-in.",
  Destinations: "Buckets to which screenshots are copied.",
  Watches: "Pages that are captured and compared on a schedule.",
  "Sign-in": "Sign up, sign in and sign out.",
  Account: "The signed-in account.",
  Keys: "The account's API keys.",
  Usage: "The account's usage.",
  Billing: "The account's subscription, if the operator sells plans.",
  Administration: "All accounts, for administrators.",
  Webhooks: "Webhooks sent to an account's servers, and the billing provider's webhook.",
  Health: "Health checks.",
  Documents: "API documentation.",
};

const tags = Object.entries(tagDescriptions).map(([name, description]) => ({ name, description }));

const sessionScheme = {
  type: "apiKey",
  in: "cookie",
  name: "tintype.session_token",
  description: "The session of a signed-in user. The name has the prefix `__Secure-` if `WEB_PUBLIC_URL` is https.",
};

/** Yields after each operation, since all of them together take 0.1 s. @param schema the options, with the limits to document. */
export function* describeService(schema: TakeSchema, version: string): Generator<void, JsonObject> {
  const properties = Object.entries(parameterSchemas(schema));
  const takeProperties = properties.filter(([, { isForCaptures }]) => !isForCaptures);
  const titles = new Map(takeGroups.flatMap((group) => parameterNames(group).map((name) => [name, group.title])));
  const parameters = takeProperties.map(([name, property]) => parameter(name, property, titles.get(name)));
  const captures = capturesBody(schema, properties);
  const watchMembers = properties
    .filter(([name]) => watchOptions(schema).includes(name))
    .map(([name, property]) => [name, member(property)]);
  const operations = yield* describeOperations({
    query: parameters,
    body: takeBody(takeProperties),
    outputs: captures,
    batch: batchBody(captures),
    watch: Object.fromEntries(watchMembers),
  });
  return {
    openapi: "3.1.0",
    info: {
      title: "Tintype",
      version,
      summary: "Website screenshots over HTTP.",
      description: "`GET /v1/screenshots/take?api_key=…&url=…` returns an image of the page.",
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: "/", description: "This service" }],
    tags,
    paths: withDefaultAnswer(operations.paths),
    components: {
      securitySchemes: {
        apiKey: { type: "apiKey", in: "query", name: "api_key", description: "The API key. Prefer a header, since URLs are often logged." },
        bearer: { type: "http", scheme: "bearer", description: "The API key. Recommended." },
        apiKeyHeader: { type: "apiKey", in: "header", name: "X-API-Key", description: "The API key." },
        session: sessionScheme,
      },
      schemas: { ...schemas, ...operations.schemas },
      responses: { CommonFailure: commonFailure },
      headers,
    },
  };
}

/** Builds the description in one turn of the event loop. */
export function createOpenApi(schema: TakeSchema, version: string): JsonObject {
  const steps = describeService(schema, version);
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/** The JSON body of the take operation. */
function takeBody(properties: [string, z.core.JSONSchema.BaseSchema][]): JsonObject {
  const key = { type: "string", description: "The API key, unless it is sent elsewhere." };
  const members = properties.map(([name, property]) => [name, member(property)]);
  return { type: "object", additionalProperties: false, properties: Object.fromEntries([["api_key", key], ...members]) };
}

/** The JSON body of a capture with several outputs. */
function capturesBody(schema: TakeSchema, properties: [string, z.core.JSONSchema.BaseSchema][]): JsonObject {
  const within = (...scopes: ReturnType<typeof scopeOf>[]) => properties.filter(([name]) => scopes.includes(scopeOf(schema, name)));
  const name = {
    type: "string",
    pattern: outputName.source,
    description: "Name of the output, unique in the request. Default: `output-1` and so on.",
  };
  const members = Object.fromEntries(within("output").map(([own, property]) => [own, member(property)]));
  const output = { type: "object", additionalProperties: false, properties: { name, ...members } };
  const outputs = {
    type: "array",
    minItems: 1,
    maxItems: outputsMax,
    items: output,
    description: "The outputs, in any order. Their options override the shared ones.",
  };
  const responseType = {
    type: "string",
    enum: responseTypes,
    default: "json",
    description: "`json` returns links to the outputs; `zip` returns their files, with the same JSON as `capture.json`.",
  };
  const later = {
    async: {
      type: "boolean",
      default: false,
      description: "Queue the capture and return 202 with its state. `Prefer: respond-async` does the same.",
    },
    webhook_url: {
      type: "string",
      format: "uri",
      description: "With `async`: receives `capture.done` or `capture.failed`. See docs/webhooks.md.",
    },
  };
  const shared = takeBody(within("output", "shared"));
  const own = { response_type: responseType, outputs, ...later };
  return { ...shared, required: ["outputs"], properties: { ...(shared.properties as object), ...own } };
}

/** @param captures the body schema of a single capture. */
function batchBody(captures: JsonObject): JsonObject {
  const { api_key, webhook_url, async: _, response_type: __, ...options } = captures.properties as Record<string, JsonObject>;
  const name = {
    type: "string",
    pattern: outputName.source,
    description: "Name of the capture, unique in the batch. Derived from the URL by default.",
  };
  const capture = { type: "object", additionalProperties: false };
  const properties = {
    api_key,
    shared: { ...capture, properties: options, description: "Options for all captures. A capture's own options override them." },
    captures: {
      type: "array",
      minItems: 1,
      maxItems: capturesMax,
      items: { ...capture, properties: { name, ...options } },
      description: "Each entry is like the body of `POST /v1/captures`; without `outputs` it has a single output named `screenshot`.",
    },
    sitemap_url: {
      ...{ type: "string", format: "uri" },
      description:
        "Instead of `captures`: captures the pages listed in this sitemap. Sitemap indexes and gzip are supported, up to 50,000 entries.",
    },
    limit: {
      ...{ type: "integer", minimum: 1, maximum: capturesMax, default: capturesMax },
      description: "Maximum number of pages from the sitemap.",
    },
    crawl: withNames(crawlProperty(), {}),
    webhook_url: { ...webhook_url, description: "Receives `batch.done`. See docs/webhooks.md." },
  };
  return { ...capture, properties, oneOf: [{ required: ["captures"] }, { required: ["sitemap_url"] }, { required: ["crawl"] }] };
}

function member(property: z.core.JSONSchema.BaseSchema): JsonObject {
  const {
    description,
    secret,
    digest,
    reading,
    pairs,
    charactersMax,
    valid,
    identity,
    unit,
    output,
    sharesLoad,
    isForCaptures,
    ...schema
  } = property;
  const together = charactersMax ? ` At most ${charactersMax} characters in total.` : "";
  const described = { description: `${description}${together}` };
  if (!pairs) return { ...schema, ...described };
  const { examples, ...list } = schema;
  return { anyOf: [list, { type: "object", additionalProperties: { type: "string" } }], examples, ...described };
}

function parameter(name: string, property: z.core.JSONSchema.BaseSchema, group: string | undefined): JsonObject {
  const { description, examples, secret, digest, reading, pairs, charactersMax, valid, identity, unit, output, sharesLoad, ...schema } =
    property;
  const together = charactersMax ? ` At most ${charactersMax} characters in total.` : "";
  const several = reading === "lines" ? " Separate values with newlines, repeat the parameter, or send a JSON array." : "";
  return {
    name,
    in: "query",
    description: `${description}${together}${several}`,
    required: false,
    schema: { ...schema, ...(examples ? { examples } : {}) },
    example: exampleOf(property),
    ...(schema.type === "array" ? { style: "form", explode: true } : {}),
    "x-group": group,
    ...(secret || digest ? { "x-secret": true } : {}),
  };
}

/** The first example if there is one, otherwise a valid value. */
export function exampleOf({ examples, type, default: fallback, enum: values }: z.core.JSONSchema.BaseSchema): unknown {
  return (examples as unknown[] | undefined)?.[0] ?? (type === "boolean" ? true : (fallback ?? values?.[0]));
}
