/** Describes query and path parameters. */

import type { z } from "zod";
import { jsonSchemaOf } from "./operation.ts";

type JsonObject = Record<string, unknown>;
type JsonSchema = z.core.JSONSchema.BaseSchema;

export function describeParameters(schema: z.ZodObject, where: "path" | "query"): JsonObject[] {
  const { properties = {}, required = [] } = jsonSchemaOf(schema, "input");
  return Object.entries(properties as Record<string, JsonSchema>).map(([name, { description, ...property }]) => ({
    name,
    in: where,
    required: required.includes(name),
    ...(description ? { description } : {}),
    schema: property,
  }));
}
