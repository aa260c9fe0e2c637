/** Turns a query into typed options, or into one error that names everything that is wrong with it. */

import { closest, distance } from "fastest-levenshtein";
import { z } from "zod";
import type { CaptureOptions, createOptionsSchema } from "../capture/options.ts";
import { AppError, type ParameterProblem } from "../errors.ts";
import { validWords } from "../valid-words.ts";
import { type RawQuery, readParameter } from "./query.ts";

export type ReadOptions = (query: RawQuery) => { options: CaptureOptions; warnings: string[] };

/** `known`: parameters of the request that aren't capture options. */
export function createOptionsReader(schema: ReturnType<typeof createOptionsSchema>, known: string[]): ReadOptions {
  const properties = parameterSchemas(schema);
  const names = [...Object.keys(properties), ...known];
  return (query) => {
    const values = Object.fromEntries(
      Object.entries(properties).map(([name, property]) => [
        name,
        readParameter(query[name] ?? [], property, property.reading as "lines" | undefined),
      ]),
    );
    const { success, data, error } = schema.safeParse(values);
    if (!success) throw refusal(error.issues.map((issue) => problemOf(issue, properties, values)));
    return {
      options: data,
      warnings: Object.keys(query)
        .filter((name) => !names.includes(name))
        .map((name) => unknownWords(name, names)),
    };
  };
}

/** Each parameter's JSON schema, without wrappers, as the reader and the documents use it. */
export function parameterSchemas(schema: z.ZodObject): Record<string, z.core.JSONSchema.BaseSchema> {
  return z.toJSONSchema(schema, { io: "input" }).properties as Record<string, z.core.JSONSchema.BaseSchema>;
}

function problemOf(
  issue: z.core.$ZodIssue,
  properties: Record<string, z.core.JSONSchema.BaseSchema>,
  values: Record<string, unknown>,
): ParameterProblem {
  const parameter = String(issue.path[0]);
  const property = properties[parameter] ?? {};
  const allowed = property.format ? "an absolute http or https address" : validWords(property);
  if (issue.code === "custom") return { parameter, message: `${parameter} ${issue.message}`, allowed };
  const value = values[parameter];
  if (value === undefined) return { parameter, message: `${parameter} is missing`, allowed };
  if (Array.isArray(value) && property.type !== "array")
    return { parameter, message: `${parameter} was given ${value.length} different values; give it one`, allowed };
  const shown = property.secret ? "" : `, not ${JSON.stringify(value).slice(0, 100)}`;
  return { parameter, message: `${parameter} must be ${allowed}${shown}`, allowed };
}

function refusal(details: ParameterProblem[]): AppError {
  const code = details.every(({ parameter, message: words }) => parameter === "url" && !words.endsWith("missing"))
    ? "invalid_url"
    : "invalid_parameters";
  return new AppError(code, { details });
}

/** The name is cut and stripped: it ends up in a header. */
function unknownWords(name: string, names: string[]): string {
  const safe = name.replace(/[^\w.[\]-]/g, "?").slice(0, 50);
  const near = closest(safe, names);
  return `unknown parameter ${safe} was ignored${distance(safe, near) <= 3 ? `; did you mean ${near}?` : ""}`;
}
