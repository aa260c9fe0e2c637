/** Turns a query into typed options, or into one error that names everything that is wrong with it. */

import { closest, distance } from "fastest-levenshtein";
import { z } from "zod";
import { validWords } from "../describe-schema.ts";
import { AppError, type ParameterProblem } from "../errors.ts";
import { type TakeOptions, type TakeSchema, withPresets } from "../screenshots/take-options.ts";
import { nulProblem, pathsOfNul } from "./nul.ts";
import { type RawQuery, readParameter } from "./query.ts";

export type ReadOptions = (query: RawQuery) => { options: TakeOptions; warnings: string[] };

/** Of unknown parameters: an edit distance to each known name is slow. */
const suggestionsMax = 10;

/** `known`: parameters of the request that aren't capture options. */
export function createOptionsReader(schema: TakeSchema, known: string[]): ReadOptions {
  const properties = parameterSchemas(schema);
  const defaults = Object.fromEntries(Object.entries(properties).map(([name, property]) => [name, property.default]));
  const names = [...Object.keys(properties), ...known];
  return (query) => {
    const values = withPresets(readAll(query, properties), defaults);
    const { success, data, error } = schema.safeParse(values);
    const unknown = Object.keys(query)
      .filter((name) => !names.includes(name))
      .map((name, index) => ({ name, near: index < suggestionsMax ? didYouMean(name, names) : "" }));
    const wrong = (error?.issues ?? []).map((issue) => problemOf(issue, properties, values));
    const withNul = pathsOfNul(data).map(([name]) => ({ parameter: String(name), message: `${String(name)} ${nulProblem}` }));
    const problems = distinct([...wrong, ...withNul]);
    if (values.strict === true) problems.push(...unknown.map(unknownProblem));
    if (!success || problems.length > 0) throw refusal(problems);
    return { options: data, warnings: unknown.map((one) => ignoredWords(one, data.url)) };
  };
}

/** A list with two wrong items has one problem. */
function distinct(problems: ParameterProblem[]): ParameterProblem[] {
  return [...new Map(problems.map((problem) => [problem.message, problem])).values()];
}

/** Parameters that were given, by name. */
function readAll(query: RawQuery, properties: Record<string, z.core.JSONSchema.BaseSchema>): Record<string, unknown> {
  const entries = Object.entries(properties).map(([name, property]) => [name, readParameter(query[name] ?? [], property)] as const);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
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
  const allowed = validWords(property);
  if (issue.code === "custom") return { parameter, message: `${parameter} ${issue.message}`, allowed };
  const value = values[parameter];
  if (value === undefined) return { parameter, message: `${parameter} is missing`, allowed };
  if (Array.isArray(value) && property.type !== "array")
    return { parameter, message: `${parameter} was given ${value.length} different values; give it one`, allowed };
  const repeated = property.secret ? "" : `, not ${JSON.stringify(value).slice(0, 100)}`;
  const words = allowed.length > longWords ? "one of the names that are known" : allowed;
  return { parameter, message: `${parameter} must be ${words}${repeated}${nearWord(value, issue.path[1], property)}`, allowed };
}

/** A list of words past this length is left to `allowed`. */
const longWords = 300;

/** `index` of the wrong item where `value` is a list. */
function nearWord(value: unknown, index: PropertyKey | undefined, { enum: own, items }: z.core.JSONSchema.BaseSchema): string {
  const wrong = Array.isArray(value) ? value[Number(index)] : value;
  const words = own ?? (items as z.core.JSONSchema.BaseSchema | undefined)?.enum;
  return typeof wrong === "string" && words ? didYouMean(wrong, words as string[]) : "";
}

function refusal(details: ParameterProblem[]): AppError {
  const code = details.every(({ parameter, message: words }) => parameter === "url" && !words.endsWith("missing"))
    ? "invalid_url"
    : "invalid_parameters";
  return new AppError(code, { details });
}

interface UnknownParameter {
  name: string;
  /** `; did you mean …?`, or nothing. */
  near: string;
}

function unknownProblem({ name, near }: UnknownParameter): ParameterProblem {
  return { parameter: shown(name), message: `${shown(name)} is no parameter${near}` };
}

/** Who doesn't percent-encode `url` loses all of it from its first `&`. */
function ignoredWords({ name, near }: UnknownParameter, url: string): string {
  const stray = near === "" && url.includes("?") ? "; if it belongs to url, percent-encode url" : "";
  return `unknown parameter ${shown(name)} was ignored${near}${stray}`;
}

/** Cut and stripped: it ends up in a header. */
function shown(name: string): string {
  return name.replace(/[^\w.[\]-]/g, "?").slice(0, 50);
}

function didYouMean(text: string, words: string[]): string {
  const near = closest(
    text.slice(0, 50).toLowerCase(),
    words.map((word) => word.toLowerCase()),
  );
  const word = words.find((candidate) => candidate.toLowerCase() === near) ?? "";
  return distance(text.slice(0, 50).toLowerCase(), near) <= Math.min(3, near.length / 2) ? `; did you mean ${word}?` : "";
}
