/** Validates tool arguments, and explains problems to the model in sentences. */

import { z } from "zod";
import { describeSchema } from "../shared/describe-schema.ts";
import { ToolError } from "./call.ts";
import { cut } from "./text.ts";
import type { Tool } from "./tool.ts";

/** Maximum number of problems reported; enough for a model to correct them and try again. */
const problemsMax = 5;
const shownMax = 80;

/** The validated arguments, with defaults. @throws {ToolError} stating the problems and the valid values. */
export function argumentsOf({ name, input }: Tool, given: unknown): Record<string, unknown> {
  const names = Object.keys(input);
  if (typeof given !== "object" || given === null || Array.isArray(given))
    throw new ToolError(`The arguments of ${name} must be an object with any of ${names.join(", ")}, not ${shown(given)}.`);
  const schema = z.strictObject(input);
  const { success, data, error } = schema.safeParse(given);
  if (success) return data;
  const { properties = {} } = z.toJSONSchema(schema, { io: "input" });
  const sentences = error.issues.map((issue) => sentenceOf(issue, given, properties as Schemas, name));
  throw new ToolError([...new Set(sentences)].slice(0, problemsMax).join(" "));
}

type Schemas = Record<string, z.core.JSONSchema.BaseSchema>;

function sentenceOf(issue: z.core.$ZodIssue, given: object, properties: Schemas, tool: string): string {
  if (issue.code === "unrecognized_keys") {
    const unknown = issue.keys.slice(0, problemsMax).map(shown).join(", ");
    return `${tool} has no argument ${unknown}; its arguments are ${Object.keys(properties).join(", ")}.`;
  }
  const [argument = "", ...within] = issue.path.map(String);
  const value = issue.path.reduce<unknown>((inside, key) => (inside as Record<PropertyKey, unknown> | undefined)?.[key], given);
  const place = within.map((key) => `[${shown(/^\d+$/.test(key) ? Number(key) : key)}]`).join("");
  const allowed = describeSchema(properties[argument] ?? {});
  if (value === undefined) return `${argument}${place} is missing; it must be ${allowed}.`;
  return `${argument} must be ${allowed}, but ${place ? `${argument}${place} is` : "it is"} ${shown(value)}.`;
}

/** A value as JSON on one short line. */
function shown(value: unknown): string {
  return cut(JSON.stringify(value) ?? "nothing", shownMax);
}
