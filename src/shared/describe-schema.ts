/** Describes the values a JSON schema accepts, for error messages and the documentation of settings and parameters. */

import type { z } from "zod";

declare module "zod" {
  interface GlobalMeta {
    /** Unit of a number, in the plural: `seconds`. */
    unit?: string;
  }
}

type JsonSchema = z.core.JSONSchema.BaseSchema;

/** Returns text such as `an integer from 1 to 100`, `a string` for a schema without constraints, or the schema's own `valid` text. */
export function describeSchema(schema: JsonSchema): string {
  if (schema.valid) return String(schema.valid);
  if (schema.format === "uuid") return "a UUID";
  if (schema.const !== undefined) return String(schema.const);
  if (schema.enum) return schema.enum.length === 1 ? String(schema.enum[0]) : `one of ${schema.enum.join(", ")}`;
  if (schema.type === "boolean") return "true or false";
  if (schema.type === "integer")
    return `${schema.unit ? `a whole number of ${schema.unit}` : "an integer"} from ${schema.minimum} to ${schema.maximum}`;
  if (schema.type === "number") return `a number${schema.unit ? ` of ${schema.unit}` : ""} from ${schema.minimum} to ${schema.maximum}`;
  if (schema.type === "array") return describeList(schema);
  const parts = ["a string"];
  const atLeast = schema.minLength && schema.minLength > 1 ? schema.minLength : undefined;
  if (atLeast && schema.maxLength) parts.push(`of ${atLeast} to ${schema.maxLength} characters`);
  else if (atLeast) parts.push(`of at least ${atLeast} characters`);
  else if (schema.maxLength) parts.push(`of at most ${schema.maxLength} characters`);
  if (schema.pattern) parts.push(`matching ${schema.pattern}`);
  return parts.join(" ");
}

function describeList({ reading, items = {}, maxItems, charactersMax }: JsonSchema): string {
  const values = (items as JsonSchema).enum;
  if (values) return `any of ${values.join(", ")}`;
  const most = maxItems === undefined ? "" : `at most ${maxItems} `;
  if (reading !== "lines") return `a list of ${most}${describeSchema(items as JsonSchema)}`;
  return `${most}lines of text${charactersMax === undefined ? "" : `, ${charactersMax} characters in total`}`;
}
