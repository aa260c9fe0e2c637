/** The management API's part of the interface's description, derived from its operations. */

import type { z } from "zod";
import { type FailureCode, failures } from "../../errors.ts";
import { accountOperations } from "../management/account.ts";
import { sessionOperations } from "../management/account-sessions.ts";
import { administrationOperations } from "../management/administration.ts";
import { historyOperations } from "../management/history.ts";
import { keyCheckOperations } from "../management/key-checks.ts";
import { keyOperations } from "../management/keys.ts";
import { takeInPlayground } from "../management/playground.ts";
import { signInOperations } from "../management/sign-in.ts";
import { usageOperations } from "../management/usage.ts";
import { captureAnswers, failureAnswers, imageAnswer, jsonContent, unchangedAnswer } from "../openapi-answers.ts";
import { jsonSchemaOf, type Operation } from "../operation.ts";

type JsonObject = Record<string, unknown>;
type JsonSchema = z.core.JSONSchema.BaseSchema;

/** All of them, in the order of the documents. */
export const managementOperations: Operation[] = [
  ...signInOperations,
  ...accountOperations,
  ...sessionOperations,
  takeInPlayground,
  ...keyOperations,
  ...keyCheckOperations,
  ...historyOperations,
  ...usageOperations,
  ...administrationOperations,
];

const tagWords: Record<Exclude<Operation["tag"], "Screenshots">, string> = {
  "Sign-in": "Signing up, in and out.",
  Account: "Who is signed in.",
  Keys: "The account's API keys.",
  Usage: "What was used.",
  Administration: "Everybody's accounts, for administrators.",
};

export const managementTags = Object.entries(tagWords).map(([name, description]) => ({ name, description }));

/** Failures of the take operation that are possible without a key. */
const captureFailures = (Object.keys(failures) as FailureCode[]).filter(
  (code) =>
    !("management" in failures[code]) &&
    [400, 403, 429, 500, 503].includes(failures[code].status) &&
    !["invalid_api_key", "domain_not_allowed", "target_not_allowed", "signature_invalid"].includes(code),
);

const named: Record<string, JsonSchema> = {};
// Only an identity provider's redirect calls the operation with status 302.
const described = managementOperations
  .filter(({ status }) => status !== 302)
  .map((operation) => [operation, operation === takeInPlayground ? describePlayground() : describe(operation)] as const);

export const managementComponents = {
  securitySchemes: {
    session: {
      type: "apiKey",
      in: "cookie",
      name: "tintype.session_token",
      description: "The session of who is signed in; with `__Secure-` before the name where `WEB_PUBLIC_URL` is https.",
    },
  },
  schemas: Object.fromEntries(Object.entries(named).sort(([a], [b]) => a.localeCompare(b))),
};

export function managementPaths(): Record<string, Record<string, JsonObject>> {
  const paths: Record<string, Record<string, JsonObject>> = {};
  for (const [{ path, method }, description] of described) {
    const template = path.replace(/:(\w+)/g, "{$1}");
    paths[template] ??= {};
    paths[template][method.toLowerCase()] = description;
  }
  return paths;
}

function describe(operation: Operation): JsonObject {
  const { id, tag, summary, description, access, params, query, body, status, answer } = operation;
  const parameters = [...parametersOf(params, "path"), ...parametersOf(query, "query")];
  return {
    operationId: id,
    summary,
    tags: [tag],
    ...(description ? { description } : {}),
    security: access === "public" ? [] : [{ session: [] }],
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(body.type === "undefined" ? {} : { requestBody: { required: true, content: jsonContent(withNames(jsonSchemaOf(body, "input"))) } }),
    responses: { ...success(status, answer), ...failureAnswers(failuresOf(operation)) },
  };
}

function success(status: number, answer: z.ZodType): JsonObject {
  if (status === 204) return { 204: { description: "Done." } };
  if (answer.type === "file") return { 200: imageAnswer, 304: unchangedAnswer };
  return { [status]: { description: "Done.", content: jsonContent(withNames(jsonSchemaOf(answer, "output"))) } };
}

function parametersOf(schema: z.ZodObject, where: "path" | "query"): JsonObject[] {
  const { properties = {}, required = [] } = jsonSchemaOf(schema, "input");
  return Object.entries(properties as Record<string, JsonSchema>).map(([name, { description, ...property }]) => ({
    name,
    in: where,
    required: required.includes(name),
    ...(description ? { description } : {}),
    schema: property,
  }));
}

/** Moves named schemas into the components, and removes our own keywords. */
function withNames(schema: JsonSchema): JsonSchema {
  if (Array.isArray(schema)) return schema.map((one) => withNames(one as JsonSchema)) as never;
  if (typeof schema !== "object" || schema === null) return schema;
  const { schemaName, secret, valid, ...rest } = schema;
  const plain = mapValues(rest, (value, name) =>
    // A property may have the name of one of our keywords.
    name === "properties" ? mapValues(value as JsonObject, (one) => withNames(one as JsonSchema)) : withNames(value as JsonSchema),
  );
  if (typeof schemaName !== "string") return plain;
  named[schemaName] = plain;
  return { $ref: `#/components/schemas/${schemaName}` };
}

function mapValues(of: JsonObject, change: (value: unknown, name: string) => unknown): JsonObject {
  return Object.fromEntries(Object.entries(of).map(([name, value]) => [name, change(value, name)]));
}

function failuresOf({ access, method, query, body, failures: own }: Operation): FailureCode[] {
  const takes = Object.keys(query.shape).length > 0 || body.type !== "undefined";
  return [
    ...(takes ? (["invalid_parameters"] as const) : []),
    ...(access === "public" ? [] : (["not_signed_in"] as const)),
    ...(access === "admin" ? (["not_permitted"] as const) : []),
    ...(method === "GET" ? [] : (["origin_not_allowed"] as const)),
    ...own,
    "internal_error",
    "unavailable",
  ];
}

/** Its query and answers are documented with the take operation. */
function describePlayground(): JsonObject {
  const { id, tag, summary, description } = takeInPlayground;
  return {
    operationId: id,
    summary,
    tags: [tag],
    description,
    security: [{ session: [] }],
    responses: {
      ...captureAnswers,
      ...failureAnswers([...captureFailures, "not_signed_in", "origin_not_allowed"], "any", "capture"),
    },
  };
}
