/** Parses a query or the members of a body into typed options, or throws a single error that lists the problems. */

import { z } from "zod";
import {
  createTakeRequest,
  type TakeOptions,
  type TakeRequest,
  type TakeSchema,
  withPresets,
} from "../../screenshots/take/take-options.ts";
import { AppError, type ParameterProblem, problemsFoundMax } from "../../shared/errors.ts";
import { suggestionFor } from "../compat/product-names.ts";
import type { Members } from "./json-body.ts";
import { nulProblems, problemOf, unknownProblem } from "./problems.ts";
import type { RawQuery } from "./request-target.ts";
import { betweenPair, readItems, readList, readParameter } from "./values.ts";

export type ReadOptions = (query: RawQuery) => { options: TakeOptions; warnings: string[] };

/** Returns the value of an option as JSON, or undefined if it was not sent. */
export type ReadOption = (name: string, schema: z.core.JSONSchema.BaseSchema) => unknown;

export const fromQuery =
  (query: RawQuery): ReadOption =>
  (name, schema) =>
    readParameter(query[name] ?? [], schema);

/** Suggestions are made only for the first unknown parameters: comparing each with every known name is slow. */
const suggestionsMax = 10;

/** @param known parameters that aren't options. */
export function createOptionsReader(schema: TakeSchema, known: string[]): ReadOptions {
  const check = createOptionsCheck(schema, known);
  return (query) => {
    const { options, unknown, warnings } = check(Object.keys(query), fromQuery(query));
    return { options, warnings: [...warnings, ...unknown.map((one) => ignoredWarning(one, options.url))] };
  };
}

interface Checked {
  options: TakeOptions;
  unknown: UnknownParameter[];
  /** Warnings about values that were reduced to a limit. */
  warnings: string[];
}

/**
 * Returns a function that validates the options of a query or a body. With `strict`, unknown names in `sent` are errors.
 * @param isOutput whether the options belong to one of several outputs.
 */
function createOptionsCheck(schema: TakeSchema, known: string[], isOutput = false) {
  let vocabulary: ReturnType<typeof vocabularyOf> | undefined;
  return (sent: string[], read: ReadOption, strict = false): Checked => {
    vocabulary ??= vocabularyOf(schema, known, isOutput); // on the first request, for a faster startup
    const { properties, defaults, foreign, names } = vocabulary;
    const values = withPresets(readAll(read, properties), defaults);
    const { success, data, error } = schema.safeParse(values);
    const unknown = sent
      .filter((name) => !names.includes(name) && !foreign.includes(name))
      .map((name, index) => ({ name, near: index < suggestionsMax ? suggestionFor(name, names) : "" }));
    const wrong = firstOfEach(error?.issues ?? []).map((issue) => problemOf(issue, properties, values));
    const misplaced = foreign.filter((name) => values[name] !== undefined).map(misplacedProblem);
    const problems = [...misplaced, ...wrong.filter(({ parameter }) => !foreign.includes(parameter))];
    problems.push(...nulProblems(success ? data : unparsed(values, problems), 1));
    const unknownNames = unknown.slice(0, problemsFoundMax).map(({ name, near }) => unknownProblem(shown(name) || '""', near, names));
    if (success && problems.length === 0 && (unknownNames.length === 0 || !(strict || values.strict === true)))
      return { options: data, unknown, warnings: reductions(values, data, properties) };
    throw refusal(problems, unknownNames);
  };
}

function vocabularyOf(schema: TakeSchema, known: string[], isOutput: boolean) {
  const properties = parameterSchemas(schema);
  const foreign = isOutput ? [] : Object.keys(properties).filter((name) => properties[name]?.isForCaptures);
  const names = [...Object.keys(properties).filter((name) => !foreign.includes(name)), ...known];
  return { properties, defaults: defaultsOf(properties), foreign, names };
}

/** Returns a function that reads individual options of a request, even if others are invalid. Invalid values are treated as absent. */
export function createLenientReader<Name extends keyof TakeOptions>(schema: TakeSchema, names: readonly Name[]) {
  const properties = parameterSchemas(schema);
  const defaults = defaultsOf(properties);
  return (sent: ReadOption): Pick<TakeOptions, Name> => {
    const values = withPresets(readAll(sent, properties), defaults);
    const read = (name: Name) => {
      const { success, data } = schema.shape[name].safeParse(values[name]);
      return success ? data : schema.shape[name].parse(undefined);
    };
    return Object.fromEntries(names.map((name) => [name, read(name)])) as Pick<TakeOptions, Name>;
  };
}

function defaultsOf(properties: Record<string, z.core.JSONSchema.BaseSchema>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(properties).map(([name, property]) => [name, property.default]));
}

/** Removes duplicate issues; of several invalid items in a list, only the first is kept. */
function firstOfEach(issues: z.core.$ZodIssue[]): z.core.$ZodIssue[] {
  const kind = ({ path, code, message }: z.core.$ZodIssue) => `${String(path[0])} ${code === "custom" ? message : code}`;
  return [...new Map(issues.toReversed().map((issue) => [kind(issue), issue])).values()].toReversed();
}

/** The values of the parameters that were sent, by name. */
function readAll(read: ReadOption, properties: Record<string, z.core.JSONSchema.BaseSchema>): Record<string, unknown> {
  const entries = Object.entries(properties).map(([name, property]) => [name, read(name, property)] as const);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

type JsonSchemas = Record<string, z.core.JSONSchema.BaseSchema>;

const described = new WeakMap<z.ZodObject, JsonSchemas>();

/** The JSON schema of each parameter, by name. Created only once per schema. */
export function parameterSchemas(schema: z.ZodObject): JsonSchemas {
  const known = described.get(schema) ?? (z.toJSONSchema(schema, { io: "input" }).properties as JsonSchemas);
  described.set(schema, known);
  return known;
}

/** @param unknownNames problems with unknown names, which are listed but don't affect the error code. */
function refusal(problems: ParameterProblem[], unknownNames: ParameterProblem[]): AppError {
  const isOfUrl =
    problems.length > 0 && problems.every(({ parameter, message }) => parameter === "url" && !message.startsWith("url is missing"));
  return new AppError(isOfUrl ? "invalid_url" : "invalid_parameters", { details: [...problems, ...unknownNames] });
}

/**
 * A refused request's values that still need a check for NUL characters: those without another problem, except URLs, where parsing
 * percent-encodes the character.
 */
function unparsed(values: Record<string, unknown>, problems: ParameterProblem[]): Record<string, unknown> {
  const named = new Set(["url", "base_url", ...problems.map(({ parameter }) => parameter)]);
  return Object.fromEntries(Object.entries(values).filter(([name]) => !named.has(name)));
}

/** Warnings about numbers that were reduced to their maximum. */
function reductions(values: Record<string, unknown>, options: object, properties: JsonSchemas): string[] {
  const used: Record<string, unknown> = { ...options };
  return Object.entries(values).flatMap(([name, value]) => {
    const most = used[name];
    if (typeof value !== "number" || typeof most !== "number" || value <= most) return [];
    const unit = properties[name]?.unit ?? "";
    return [`${name} was reduced from ${value} to ${most}${unit ? ` ${unit}` : ""}, the maximum of this service`];
  });
}

interface UnknownParameter {
  name: string;
  near: string; // such as ` (did you mean …?)`, or empty
}

function misplacedProblem(parameter: string): ParameterProblem {
  return { parameter, message: `${parameter} is only for outputs of POST /v1/captures`, allowed: `no ${parameter}` };
}

/** Unknown parameters may belong to a `url` that wasn't percent-encoded and was therefore cut at its first `&`. */
function ignoredWarning({ name, near }: UnknownParameter, url = ""): string {
  const stray = near === "" && url.includes("?") ? "; if it belongs to url, percent-encode url" : "";
  return `unknown parameter ${shown(name)} was ignored${near}${stray}`;
}

/** Shortened and sanitized, since the name ends up in a header. */
function shown(name: string): string {
  return name.replace(/[^\w.[\]-]/g, "?").slice(0, 50);
}

/**
 * @param others members of the body that aren't options.
 * @param isOutput whether the options belong to one of several outputs.
 * @returns a function that throws {AppError} `invalid_parameters` (also for unknown members) or `invalid_url`.
 */
export function createMembersReader(schema: TakeSchema, others: string[], isOutput = false): (members: Members) => TakeRequest {
  const check = createOptionsCheck(schema, others, isOutput);
  return (members) => {
    const names = Object.keys(members).slice(0, namesMax);
    const { options, warnings } = check(names, fromMembers(members), true);
    return createTakeRequest(schema, options, warnings);
  };
}

/** Maximum number of names checked. It exceeds the number of options, so a longer list always has an unknown name among those checked. */
const namesMax = 500;

export function fromMembers(members: Members): ReadOption {
  return (name, schema) => (Object.hasOwn(members, name) ? readMember(members[name], schema) : undefined);
}

/** Strings are read as in a query; null is treated as absent. A value of the wrong type is returned unchanged, for the schema to reject. */
function readMember(value: unknown, schema: z.core.JSONSchema.BaseSchema): unknown {
  if (value === null) return undefined;
  if (typeof value === "string") return readParameter([value.toWellFormed()], schema);
  if (schema.type !== "array") return value;
  if (typeof value === "number") return readItems([value], schema);
  const list = Array.isArray(value) || schema.reading === "lines" ? readList(value, betweenPair(schema)) : undefined;
  return list ? readItems(list.map(wellFormed), schema) : value;
}

function wellFormed(item: unknown): unknown {
  return typeof item === "string" ? item.toWellFormed() : item;
}
