/** Parses an operation's input into typed values, or throws a single error that lists up to 20 problems. */

import type { z } from "zod";
import { AppError, problemsFoundMax } from "../../shared/errors.ts";
import { jsonSchemaOf } from "../openapi/operation.ts";
import { nulProblems, problemsOf } from "./problems.ts";
import type { RawQuery } from "./request-target.ts";
import { readParameter } from "./values.ts";

type Properties = Record<string, z.core.JSONSchema.BaseSchema>;

/** @throws {AppError} `invalid_parameters`, with at most 20 details. */
export function createInputReader<Schema extends z.ZodType>(schema: Schema): (value: unknown) => z.output<Schema> {
  let json: z.core.JSONSchema.BaseSchema | undefined; // created on first use, for a faster startup
  return (value) => {
    const { success, data, error } = schema.safeParse(value);
    const withNul = nulProblems(value);
    if (success && withNul.length === 0) return data;
    json ??= jsonSchemaOf(schema, "input");
    const known = json;
    const issues = (error?.issues ?? []).slice(0, problemsFoundMax);
    const problems = [...issues.flatMap((issue) => problemsOf(issue, known, value)), ...withNul];
    throw new AppError("invalid_parameters", { details: problems.slice(0, problemsFoundMax) });
  };
}

/** Like `createInputReader`, for a query string. @throws {AppError} `invalid_parameters`. */
export function createQueryReader<Schema extends z.ZodObject>(schema: Schema): (query: RawQuery) => z.output<Schema> {
  const read = createInputReader(schema);
  let properties: Properties | undefined;
  return (query) => {
    const sent = Object.entries(query);
    if (sent.length === 0) return read({});
    properties ??= (jsonSchemaOf(schema, "input").properties ?? {}) as Properties;
    const known = properties;
    return read(Object.fromEntries(sent.map(([name, texts]) => [name, readParameter(texts, known[name] ?? {})])));
  };
}
