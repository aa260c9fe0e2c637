/** Reads a query string the way the field's SDKs write it, into the JSON values that the options' schema knows. */

import type { z } from "zod";

/** Every value of every name as it was sent, `name[]` as `name`. */
export type RawQuery = Record<string, string[]>;

/** For Fastify's `querystringParser`. */
export function parseQuery(text: string): RawQuery {
  const query: RawQuery = Object.create(null); // a parameter called __proto__ is a parameter
  for (const [name, value] of new URLSearchParams(text)) {
    const plain = name.endsWith("[]") ? name.slice(0, -2) : name;
    query[plain] ??= [];
    query[plain].push(value);
  }
  return query;
}

type JsonSchema = z.core.JSONSchema.BaseSchema;

/**
 * The value of one parameter, `undefined` when it is absent: empty counts as absent. What can't be read stays text,
 * for the schema to refuse with its own words.
 */
export function readParameter(sent: string[], schema: JsonSchema, reading: "lines" | undefined): unknown {
  const given = sent.filter((value) => value !== "");
  if (given.length === 0) return undefined;
  if (schema.type === "array") return reading === "lines" ? given.flatMap(readLines) : given.flatMap(readList);
  if (new Set(given).size > 1) return given; // two different values of what has one: refused
  const [text = ""] = given;
  if (schema.type === "boolean") return readBoolean(text);
  if (schema.type === "integer" || schema.type === "number") return readNumber(text);
  return text;
}

const booleans = new Map([
  ...["true", "1", "yes", "on"].map((word) => [word, true] as const),
  ...["false", "0", "no", "off"].map((word) => [word, false] as const),
]);

function readBoolean(text: string): boolean | string {
  return booleans.get(text.trim().toLowerCase()) ?? text;
}

function readNumber(text: string): number | string {
  const value = /^\s*[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d{1,3})?\s*$/i.test(text) ? Number(text) : Number.NaN;
  return Number.isFinite(value) ? value : text;
}

function readList(text: string): unknown[] {
  return (
    readJson(text, "[") ??
    text
      .split(",")
      .map((item) => item.trim())
      .filter((item) => item !== "")
  );
}

/** Lines, a JSON array of them, or a JSON object of names and values. */
function readLines(text: string): unknown[] {
  const parsed = readJson(text, "[") ?? readJson(text, "{");
  return (
    parsed ??
    text
      .split(/\r?\n/)
      .map((line) => line.trim())
      .filter((line) => line !== "")
  );
}

function readJson(text: string, opening: "[" | "{"): unknown[] | undefined {
  if (!text.trimStart().startsWith(opening)) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value : Object.entries(value as object).map(([name, content]) => `${name}: ${content}`);
  } catch {
    return undefined;
  }
}
