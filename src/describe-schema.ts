/** Says in a person's words what a JSON schema accepts; settings, parameters and their documents all speak through it. */

import type { z } from "zod";

declare module "zod" {
  interface GlobalMeta {
    /** What a number counts, in the plural: `seconds`. */
    unit?: string;
  }
}

type JsonSchema = z.core.JSONSchema.BaseSchema;

/** `an integer from 1 to 100`; a schema that says nothing gives `text`, one with words of its own gives these. */
export function validWords(schema: JsonSchema): string {
  if (schema.valid) return String(schema.valid);
  if (schema.const !== undefined) return String(schema.const);
  if (schema.enum) return schema.enum.length === 1 ? String(schema.enum[0]) : `one of ${schema.enum.join(", ")}`;
  if (schema.type === "boolean") return "true or false";
  if (schema.type === "integer")
    return `${schema.unit ? `a whole number of ${schema.unit}` : "an integer"} from ${schema.minimum} to ${schema.maximum}`;
  if (schema.type === "number") return `a number${schema.unit ? ` of ${schema.unit}` : ""} from ${schema.minimum} to ${schema.maximum}`;
  if (schema.type === "array") return listWords(schema);
  const words = ["text"];
  const atLeast = schema.minLength && schema.minLength > 1 ? schema.minLength : undefined;
  if (atLeast && schema.maxLength) words.push(`of ${atLeast} to ${schema.maxLength} characters`);
  else if (atLeast) words.push(`of at least ${atLeast} characters`);
  else if (schema.maxLength) words.push(`of at most ${schema.maxLength} characters`);
  if (schema.pattern) words.push(`matching ${schema.pattern}`);
  return words.join(" ");
}

function listWords({ reading, items = {}, maxItems, charactersMax }: JsonSchema): string {
  const words = (items as JsonSchema).enum;
  if (words) return `any of ${words.join(", ")}`;
  const most = maxItems === undefined ? "" : `at most ${maxItems} `;
  if (reading !== "lines") return `a list of ${most}${validWords(items as JsonSchema)}`;
  return `${most}lines of text${charactersMax === undefined ? "" : `, together of at most ${charactersMax} characters`}`;
}
