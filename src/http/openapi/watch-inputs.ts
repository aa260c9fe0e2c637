/** Request bodies of the watch and comparison operations, which may contain the API key. */

import { compareScreenshots } from "../comparisons/compare.ts";
import { watchOperations } from "../watches/operations.ts";
import { jsonContent } from "./answers.ts";
import { jsonSchemaOf, type Operation } from "./operation.ts";

type JsonObject = Record<string, unknown>;

/** @param options schemas of the capture options, by name. */
export function watchInputs(options: JsonObject): Map<Operation, JsonObject> {
  const operations = (Object.values(watchOperations) as Operation[]).filter(({ method }) => method === "POST" || method === "PATCH");
  return new Map(
    [compareScreenshots as Operation, ...operations].map((operation) => [operation, { requestBody: bodyOf(operation, options) }]),
  );
}

function bodyOf(operation: Operation, options: JsonObject): JsonObject {
  const { properties = {}, required = [] } = operation.body.type === "undefined" ? {} : jsonSchemaOf(operation.body, "input");
  const isWatch = [watchOperations.create, watchOperations.change].some((one) => one.id === operation.id);
  const key = { type: "string", description: "The API key, unless it is sent elsewhere." };
  const schema = {
    type: "object",
    additionalProperties: false,
    ...(required.length > 0 ? { required } : {}),
    properties: { api_key: key, ...(isWatch ? options : {}), ...properties },
  };
  return { required: required.length > 0, content: jsonContent(schema) };
}
