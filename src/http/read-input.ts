/** Turns what a request of the management API carries into typed values, or into one error that names everything that is wrong. */

import type { z } from "zod";
import { validWords } from "../describe-schema.ts";
import { AppError, type ParameterProblem } from "../errors.ts";
import { nulProblem, pathsOfNul } from "./nul.ts";
import { jsonSchemaOf } from "./operation.ts";
import { type RawQuery, readParameter } from "./query.ts";
import { tooLong } from "./validation.ts";

type JsonSchema = z.core.JSONSchema.BaseSchema;

/** A body of 64 KB can have thousands; the answer would be many times larger. */
const problemsMax = 20;

/** @throws {AppError} `invalid_parameters`, with a detail for each wrong member up to the 20th. */
export function createInputReader<Schema extends z.ZodType>(schema: Schema): (value: unknown) => z.output<Schema> {
  const json = jsonSchemaOf(schema, "input");
  return (value) => {
    const { success, data, error } = schema.safeParse(value);
    const withNul = pathsOfNul(value);
    if (success && withNul.length === 0) return data;
    const problems = [
      ...(error?.issues ?? []).slice(0, problemsMax).flatMap((issue) => problemsOf(issue, json, value)),
      ...withNul.slice(0, problemsMax).map((path) => ({ parameter: nameOf(path), message: `${nameOf(path)} ${nulProblem}` })),
    ];
    throw new AppError("invalid_parameters", { details: problems.slice(0, problemsMax) });
  };
}

/** The same for a query string. @throws {AppError} `invalid_parameters`. */
export function createQueryReader<Schema extends z.ZodObject>(schema: Schema): (query: RawQuery) => z.output<Schema> {
  const properties = (jsonSchemaOf(schema, "input").properties ?? {}) as Record<string, JsonSchema>;
  const read = createInputReader(schema);
  return (query) =>
    read(Object.fromEntries(Object.entries(query).map(([name, sent]) => [name, readParameter(sent, properties[name] ?? {})])));
}

function problemsOf(issue: z.core.$ZodIssue, schema: JsonSchema, value: unknown): ParameterProblem[] {
  const parameter = nameOf(issue.path);
  if (issue.code === "unrecognized_keys") {
    const known = Object.keys(at(schema, issue.path).properties ?? {});
    const allowed = known.length > 0 ? `one of ${known.join(", ")}` : "nothing";
    return issue.keys.slice(0, problemsMax).map((key) => {
      const name = [parameter, key.slice(0, 50)].filter((part) => part !== "").join(".");
      return { parameter: name, message: `${name} is unknown`, allowed };
    });
  }
  const expected = at(schema, issue.path);
  const allowed = wordsFor(expected);
  if (parameter === "") return [{ parameter: "body", message: `the body must be a JSON object`, allowed: "a JSON object" }];
  if (issue.code === "custom")
    return [{ parameter, message: issue.params?.isSentence ? issue.message.replace(/\.$/, "") : `${parameter} ${issue.message}`, allowed }];
  const given = issue.path.reduce<unknown>((inside, key) => (inside as Record<PropertyKey, unknown> | undefined)?.[key], value);
  if (given === undefined) return [{ parameter, message: `${parameter} is missing`, allowed }];
  if (given === "") return [{ parameter, message: `${parameter} is empty`, allowed }];
  const shown = expected.secret ? "" : `, not ${JSON.stringify(given).slice(0, 100)}`;
  const length = expected.secret ? undefined : tooLong({ ...issue, path: [] }, given);
  return [{ parameter, message: `${parameter} ${length ?? `must be ${allowed}${shown}`}`, allowed }];
}

/** `allowed_domains[2]` */
function nameOf(path: PropertyKey[]): string {
  return path.map((key, index) => (typeof key === "number" ? `[${key}]` : `${index > 0 ? "." : ""}${String(key)}`)).join("");
}

/** The schema of the member at `path`; an empty one when it says nothing of it. */
function at(schema: JsonSchema, path: PropertyKey[]): JsonSchema {
  return path.reduce<JsonSchema>((inside, key) => {
    const next = typeof key === "number" ? inside.items : inside.properties?.[String(key)];
    return (next ?? {}) as JsonSchema;
  }, schema);
}

function wordsFor(schema: JsonSchema): string {
  const choices = (schema.anyOf ?? []) as JsonSchema[];
  if (choices.length > 0) return choices.map((choice) => (choice.type === "null" ? "null" : wordsFor(choice))).join(" or ");
  if (schema.type === "string" && schema.format) return formats[schema.format] ?? validWords(schema);
  return validWords(schema);
}

const formats: Record<string, string> = {
  host: "a host, *.host or an address, with a scheme or a port where wanted",
  uuid: "an id (UUID)",
  email: "an e-mail address",
  date: "a day, 2030-01-31",
  "date-time": "a time with its zone, 2030-01-31T12:00:00Z",
};
