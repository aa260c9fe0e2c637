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
    const wrong = firstOfEach(error?.issues ?? []).map((issue) => problemOf(issue, properties, values));
    const namesWithNul = new Set(pathsOfNul(data).map(([name]) => String(name)));
    const withNul = [...namesWithNul].map((parameter) => ({ parameter, message: `${parameter} ${nulProblem}` }));
    const problems = [...wrong, ...withNul];
    if (values.strict === true) problems.push(...unknown.map(unknownProblem));
    if (!success || problems.length > 0) throw refusal(problems);
    return { options: data, warnings: unknown.map((one) => ignoredWords(one, data.url)) };
  };
}

/** Without repetitions, and of a list's wrong items only the first. */
function firstOfEach(issues: z.core.$ZodIssue[]): z.core.$ZodIssue[] {
  const kind = ({ path, code, message }: z.core.$ZodIssue) => `${String(path[0])} ${code === "custom" ? message : code}`;
  return [...new Map(issues.toReversed().map((issue) => [kind(issue), issue])).values()].toReversed();
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
  const wrong = Array.isArray(value) && issue.path.length > 1 ? value[Number(issue.path[1])] : value;
  const message =
    tooLong(issue, wrong) ?? `must be ${shortWords(allowed)}${property.secret ? "" : `, not ${JSON.stringify(wrong).slice(0, 100)}`}`;
  return { parameter, message: `${parameter} ${message}${nearWord(wrong, property)}`, allowed };
}

/** What is wrong with text or a list of which all that is wrong is its length; the text itself is not repeated. */
export function tooLong(issue: z.core.$ZodIssue, wrong: unknown): string | undefined {
  if (issue.code !== "too_big" || (typeof wrong !== "string" && !Array.isArray(wrong))) return undefined;
  const what = typeof wrong === "string" ? "characters" : "items";
  return `${issue.path.length > 1 ? "items " : ""}may have at most ${issue.maximum} ${what}, not ${wrong.length}`;
}

/** A list of words past this length is left to `allowed`. */
const longWords = 300;

function shortWords(allowed: string): string {
  return allowed.length > longWords ? "the name of a known device" : allowed;
}

function nearWord(wrong: unknown, { enum: own, items }: z.core.JSONSchema.BaseSchema): string {
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
  return { parameter: shown(name), message: `${shown(name)} is not a parameter${near}` };
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
  return distance(text.slice(0, 50).toLowerCase(), near) <= Math.min(3, near.length / 2) ? ` (did you mean ${word}?)` : "";
}
