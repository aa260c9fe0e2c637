/** Turns Zod issues into problems that say what is wrong with a parameter and what is valid. */

import { closest, distance } from "fastest-levenshtein";
import type { z } from "zod";
import { describeSchema } from "../../shared/describe-schema.ts";
import { type ParameterProblem, problemsFoundMax } from "../../shared/errors.ts";
import { LongText, textMax } from "./values.ts";

type JsonSchema = z.core.JSONSchema.BaseSchema;

/** Maximum length of each member's name. */
const nameLengthMax = 50;

/** Describes an issue with a query parameter. An invalid list item is reported under the name of its parameter. */
export function problemOf(
  issue: z.core.$ZodIssue,
  properties: Record<string, JsonSchema>,
  values: Record<string, unknown>,
): ParameterProblem {
  const parameter = String(issue.path[0]);
  const expected = properties[parameter] ?? {};
  const value = values[parameter];
  if (issue.code !== "custom" && Array.isArray(value) && value.length > 1 && expected.type !== "array") {
    const message = `${parameter} was given ${value.length} different values; only one is allowed`;
    return { parameter, message, allowed: allowedBy(expected) };
  }
  const isItem = Array.isArray(value) && issue.path.length > 1;
  const isSecret = Boolean(expected.secret);
  return describe(issue, parameter, { expected, isSecret }, isItem ? value[Number(issue.path[1])] : value, isItem);
}

/** Describes an issue with a JSON `body`: one problem, or one per unknown field. */
export function problemsOf(issue: z.core.$ZodIssue, schema: JsonSchema, body: unknown): ParameterProblem[] {
  const parameter = nameOf(issue.path);
  if (issue.code === "unrecognized_keys") {
    const known = choicesOf(at(schema, issue.path).expected).flatMap(({ properties = {} }) => Object.keys(properties));
    const allowed = known.length > 0 ? `one of ${known.join(", ")}` : "nothing";
    return issue.keys.slice(0, problemsFoundMax).map((key) => {
      const name = [parameter, shortName(key)].filter((part) => part !== "").join(".");
      return { parameter: name, message: `${name} is not a known field`, allowed };
    });
  }
  if (parameter === "") return [{ parameter: "body", message: "the body must be a JSON object", allowed: "a JSON object" }];
  const wrong = issue.path.reduce<unknown>((inside, key) => (inside as Record<PropertyKey, unknown> | undefined)?.[key], body);
  return [describe(issue, parameter, at(schema, issue.path), wrong, false)];
}

/** The same problem under the parameter's full name. */
export function renamed({ parameter, message, ...rest }: ParameterProblem, name: string): ParameterProblem {
  const isNamed = message.startsWith(parameter);
  return { parameter: name, message: isNamed ? name + message.slice(parameter.length) : `${name}: ${message}`, ...rest };
}

/**
 * Reports strings in the JSON `value` that contain a NUL character, which PostgreSQL can't store in text or JSON.
 * @param depth deeper members are reported once, under the name of their ancestor at this depth.
 */
export function nulProblems(value: unknown, depth = nestingMax): ParameterProblem[] {
  const names = new Set(pathsOfNul(value).map((path) => nameOf(path.slice(0, depth))));
  return [...names].slice(0, problemsFoundMax).map((parameter) => ({
    parameter,
    message: `${parameter} contains a NUL character, which is not allowed`,
  }));
}

/** Maximum search depth; no valid body is that deep, and schemas reject the rest. */
const nestingMax = 8;

function pathsOfNul(value: unknown, path: PropertyKey[] = []): PropertyKey[][] {
  if (typeof value === "string") return value.includes("\0") ? [path] : [];
  if (typeof value !== "object" || value === null || path.length >= nestingMax) return [];
  const entries = Array.isArray(value) ? value.entries() : Object.entries(value);
  return [...entries].flatMap(([key, part]: [PropertyKey, unknown]) => pathsOfNul(part, [...path, key]));
}

interface MemberSchema {
  /** Empty if the schema has no such member. */
  expected: JsonSchema;
  /** Whether the member or one of its ancestors is secret. */
  isSecret: boolean;
}

function describe(issue: z.core.$ZodIssue, parameter: string, member: MemberSchema, wrong: unknown, isItem: boolean): ParameterProblem {
  const { expected, isSecret } = member;
  const allowed = allowedBy(expected);
  const problem = (message: string) => ({ parameter, message, allowed });
  if (issue.code === "custom")
    return problem(issue.params?.isSentence ? issue.message.replace(/\.$/, "") : `${parameter} ${issue.message}`);
  if (wrong instanceof LongText) return problem(`${parameter} ${tooMany(textMax, "characters", wrong.length, isItem)}`);
  if (wrong === undefined) return problem(`${parameter} is missing`);
  if (wrong === "") return problem(`${parameter} is empty`);
  const tooLong = expected.secret ? undefined : lengthProblem(issue, wrong, isItem);
  if (tooLong) return problem(`${parameter} ${tooLong}`);
  const shown = isSecret ? "" : `, not ${(typeof wrong === "number" ? String(wrong) : JSON.stringify(wrong)).slice(0, 100)}`;
  return problem(`${parameter} must be ${shortened(allowed)}${shown}${suggestion(wrong, expected)}`);
}

/** Describes an overlong string or list without quoting it. */
function lengthProblem(issue: z.core.$ZodIssue, wrong: unknown, isItem: boolean): string | undefined {
  if (issue.code !== "too_big" || (typeof wrong !== "string" && !Array.isArray(wrong))) return undefined;
  const what = typeof wrong === "string" ? "characters" : "items";
  return tooMany(issue.maximum, what, wrong.length, isItem);
}

function tooMany(max: number | bigint, what: string, count: number, isItem: boolean): string {
  return isItem ? `items must have at most ${max} ${what}, but one has ${count}` : `must have at most ${max} ${what}, but has ${count}`;
}

/** The name of the member at `path`, such as `allowed_domains[2]`. */
function nameOf(path: PropertyKey[]): string {
  return path.map((key, index) => (typeof key === "number" ? `[${key}]` : `${index > 0 ? "." : ""}${shortName(String(key))}`)).join("");
}

const shortName = (name: string) => name.slice(0, nameLengthMax);

/** The schema of the member at `path`. */
function at(schema: JsonSchema, path: PropertyKey[]): MemberSchema {
  let member = { expected: schema, isSecret: Boolean(schema.secret) };
  for (const key of path) {
    const candidates = choicesOf(member.expected).map((choice) => memberOf(choice, key));
    const expected = (candidates.find((candidate) => typeof candidate === "object") ?? {}) as JsonSchema;
    member = { expected, isSecret: member.isSecret || Boolean(expected.secret) };
  }
  return member;
}

function memberOf({ items, properties = {}, additionalProperties }: JsonSchema, key: PropertyKey) {
  if (typeof key === "number") return items;
  return Object.hasOwn(properties, key) ? properties[String(key)] : additionalProperties;
}

/** The schema and its alternatives: the type of a nullable member is in `anyOf`. */
function choicesOf(schema: JsonSchema): JsonSchema[] {
  return [schema, ...((schema.anyOf ?? []) as JsonSchema[])];
}

/** Describes the allowed values, such as `an integer from 1 to 100 or null`. */
function allowedBy(schema: JsonSchema): string {
  const choices = (schema.valid ? [] : (schema.anyOf ?? [])) as JsonSchema[];
  if (choices.length > 0) return choices.map((choice) => (choice.type === "null" ? "null" : allowedBy(choice))).join(" or ");
  if (schema.type === "string" && schema.format) return formats[schema.format] ?? describeSchema(schema);
  return describeSchema(schema);
}

const formats: Record<string, string> = {
  host: "a host, *.host or an IP address, optionally with a scheme or port",
  uuid: "an id (UUID)",
  email: "an e-mail address",
  date: "a date, such as 2030-01-31",
  "date-time": "a date and time with a UTC offset, such as 2030-01-31T12:00:00Z",
};

/** Maximum length of allowed values in a message. Only the list of devices is longer; `allowed` contains it in full. */
const allowedLengthMax = 300;

function shortened(allowed: string): string {
  return allowed.length > allowedLengthMax ? "the name of a known device" : allowed;
}

function suggestion(wrong: unknown, { enum: own, items }: JsonSchema): string {
  const names = own ?? (items as JsonSchema | undefined)?.enum;
  return typeof wrong === "string" && names ? didYouMean(wrong, names as string[]) : "";
}

/** ` (did you mean width?)`; empty if none of `names` is similar. */
export function didYouMean(text: string, names: string[]): string {
  const given = normalizedName(text.slice(0, 50));
  const near = closest(given, names.map(normalizedName));
  const name = names.find((candidate) => normalizedName(candidate) === near) ?? "";
  return isTypo(given, near) ? ` (did you mean ${name}?)` : "";
}

/**
 * The problem for an unknown name. The valid `names`, which may exceed 1 KB, are listed only if there is no suggestion.
 * @param suggestion such as ` (did you mean width?)`, or empty.
 */
export function unknownProblem(parameter: string, suggestion: string, names: string[]): ParameterProblem {
  const allowed = suggestion === "" ? `one of ${names.join(", ")}` : "a parameter in the API reference, at /docs";
  return { parameter, message: `${parameter} is not a parameter${suggestion}`, allowed };
}

/** Normalizes case and separators. */
export function normalizedName(name: string): string {
  return name.toLowerCase().replaceAll(/[ _-]/g, "");
}

/** Whether `given` may be a typo of `near`: few edits for its length, and the same digits. A transposition is one edit. */
function isTypo(given: string, near: string): boolean {
  const digits = (text: string) => text.replaceAll(/\D/g, "");
  const letters = (text: string) => [...text].sort().join("");
  const edits = distance(given, near) - (letters(given) === letters(near) ? 1 : 0);
  return digits(given) === digits(near) && edits <= Math.max(1, Math.min(3, Math.floor(near.length / 4)));
}
