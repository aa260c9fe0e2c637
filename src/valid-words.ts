/** Says in a person's words what a JSON schema accepts; settings, parameters and their documents all speak through it. */

import type { z } from "zod";

type JsonSchema = z.core.JSONSchema.BaseSchema;

/** `an integer from 1 to 100`; a schema that says nothing gives `text`. */
export function validWords(schema: JsonSchema): string {
  if (schema.enum) return schema.enum.length === 1 ? String(schema.enum[0]) : `one of ${schema.enum.join(", ")}`;
  if (schema.type === "boolean") return "true or false";
  if (schema.type === "integer") return `an integer from ${schema.minimum} to ${schema.maximum}`;
  if (schema.type === "number") return `a number from ${schema.minimum} to ${schema.maximum}`;
  if (schema.reading === "lines") return "lines of text";
  if (schema.type === "array") return `a list of ${validWords((schema.items ?? {}) as JsonSchema).replace(/^one of/, "any of")}`;
  const words = ["text"];
  const atLeast = schema.minLength && schema.minLength > 1 ? schema.minLength : undefined;
  if (atLeast && schema.maxLength) words.push(`of ${atLeast} to ${schema.maxLength} characters`);
  else if (atLeast) words.push(`of at least ${atLeast} characters`);
  else if (schema.maxLength) words.push(`of at most ${schema.maxLength} characters`);
  if (schema.pattern) words.push(`matching ${schema.pattern}`);
  return words.join(" ");
}
