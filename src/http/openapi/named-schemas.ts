/** Moves named schemas to the components of the OpenAPI description, so that each appears once. Pure. */

import type { z } from "zod";

type JsonObject = Record<string, unknown>;
type JsonSchema = z.core.JSONSchema.BaseSchema;

/** Replaces named schemas by references, adds them to `named`, and removes our own keywords. */
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
