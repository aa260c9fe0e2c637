/** Parses the input of a management operation into typed values, or into one error that names everything that is wrong. */

import type { z } from "zod";
import { AppError } from "../errors.ts";
import { jsonSchemaOf } from "./operation.ts";
import { nulProblems, problemsMax, problemsOf } from "./problems.ts";
import { type RawQuery, readParameter } from "./query.ts";

/** @throws {AppError} `invalid_parameters`, with a detail for each wrong member up to the 20th. */
export function createInputReader<Schema extends z.ZodType>(schema: Schema): (value: unknown) => z.output<Schema> {
  const json = jsonSchemaOf(schema, "input");
  return (value) => {
    const { success, data, error } = schema.safeParse(value);
    const withNul = nulProblems(value);
    if (success && withNul.length === 0) return data;
    const issues = (error?.issues ?? []).slice(0, problemsMax);
    const problems = [...issues.flatMap((issue) => problemsOf(issue, json, value)), ...withNul];
    throw new AppError("invalid_parameters", { details: problems.slice(0, problemsMax) });
  };
}

/** The same for a query string. @throws {AppError} `invalid_parameters`. */
export function createQueryReader<Schema extends z.ZodObject>(schema: Schema): (query: RawQuery) => z.output<Schema> {
  const properties = (jsonSchemaOf(schema, "input").properties ?? {}) as Record<string, z.core.JSONSchema.BaseSchema>;
  const read = createInputReader(schema);
  return (query) =>
    read(Object.fromEntries(Object.entries(query).map(([name, sent]) => [name, readParameter(sent, properties[name] ?? {})])));
}
