/** Converts parameter values, in every notation that SDKs use, to the JSON values that the options' schema expects. */

import type { z } from "zod";
import { exceedsBounds } from "./json-body.ts";

type JsonSchema = z.core.JSONSchema.BaseSchema;

/** Maximum length of a parameter or list item in characters; a query can't be longer. Documents have their own limit. */
export const textMax = 64 * 1024;

/** Maximum number of items in a list whose schema sets no maximum. */
const listMax = 1_000;

/** Stands in for text over the limit: every schema rejects it without reading the text. */
export class LongText {
  readonly length: number;
  constructor(length: number) {
    this.length = length;
  }
}

/** The value of a parameter; undefined if absent, empty or blank. Text that can't be parsed is returned as is, for the schema to reject. */
export function readParameter(sent: string[], schema: JsonSchema): unknown {
  const long = schema.digest ? undefined : sent.find((value) => value.length > textMax);
  if (long) return new LongText(long.length);
  const given = sent.filter((value) => value.trim() !== "");
  if (given.length === 0) return undefined;
  if (schema.type === "array") return readArray(given, schema);
  if (new Set(given).size > 1) return given; // several different values of a single-valued parameter: rejected by the schema
  const [text = ""] = given;
  if (schema.type === "boolean") return readBoolean(text);
  if (schema.type === "integer" || schema.type === "number") return readNumber(text);
  return schema.enum ? readEnum(text, schema) : text;
}

function readArray(given: string[], schema: JsonSchema): unknown {
  const excessive = given.find((text) => /^\s*[[{]/.test(text) && exceedsBounds(text));
  if (excessive !== undefined) return excessive;
  const lines = schema.reading === "lines";
  const objects = (schema.items as JsonSchema | undefined)?.type === "object";
  const { maxItems = listMax } = schema;
  const readList = (text: string) =>
    readJson(text, "[") ?? readJson(objects ? `[${text}]` : "", "[") ?? partsOfText(text, ",", maxItems + 1);
  const all = given.flatMap((text) => (lines ? readLines(text, betweenPair(schema), maxItems + 1) : readList(text)));
  return readItems(all, schema);
}

/** Separator between the name and value of a line. */
export function betweenPair({ pairs }: JsonSchema): string {
  return (pairs as string | undefined) ?? ": ";
}

/** The items of a list as its schema expects them; undefined if there are none. */
export function readItems(all: unknown[], schema: JsonSchema): unknown[] | undefined {
  const items = (schema.items ?? {}) as JsonSchema;
  if (all.length === 0) return undefined; // `[]`, or nothing but separators
  // One extra item is enough for a rejection; checking a long list is slow.
  return all.slice(0, (schema.maxItems ?? listMax) + 1).map((item) => {
    if (typeof item === "number" && items.type === "string") return String(item);
    if (typeof item === "string" && item.length > textMax) return new LongText(item.length);
    return typeof item === "string" && items.enum ? readEnum(item, items) : item;
  });
}

const booleans = new Map([
  ...["true", "1", "yes", "on"].map((word) => [word, true] as const),
  ...["false", "0", "no", "off"].map((word) => [word, false] as const),
]);

function readBoolean(text: string): boolean | string {
  return booleans.get(text.trim().toLowerCase()) ?? text;
}

function readNumber(text: string): number | string {
  const value = /^\s*[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d{1,3})?\s*$/i.test(text) ? Number(text) : Number.NaN;
  return Number.isFinite(value) ? value : text;
}

/** One of the schema's values, ignoring case and separators: `PNG`, `networkIdle0`, `iphone_15_pro`. */
function readEnum(text: string, schema: JsonSchema): string {
  const folded = fold(text);
  const values = schema.enum as string[];
  return values.includes(text) ? text : (values.find((value) => fold(value) === folded) ?? text);
}

const fold = (text: string) => text.trim().toLowerCase().replaceAll(/[ _-]/g, "");

/** Parses lines, a JSON array of lines, or a JSON object of names and values. */
function readLines(text: string, between: string, max: number): unknown[] {
  return readJson(text, "[") ?? readJson(text, "{", between) ?? partsOfText(text, "\n", max);
}

/** The first `max` parts that aren't blank. */
function partsOfText(text: string, separator: string, max: number): string[] {
  const parts: string[] = [];
  for (let start = 0; start <= text.length && parts.length < max; ) {
    const at = text.indexOf(separator, start);
    const end = at === -1 ? text.length : at;
    const part = text.slice(start, end).trim();
    if (part) parts.push(part);
    start = end + 1;
  }
  return parts;
}

function readJson(text: string, opening: "[" | "{", between = ""): unknown[] | undefined {
  if (!text.trimStart().startsWith(opening)) return undefined;
  try {
    return readList(JSON.parse(text), between);
  } catch {
    return undefined;
  }
}

/** Returns a list unchanged and an object as lines; undefined for anything else, and for nested objects, which don't fit on a line. */
export function readList(value: unknown, between: string): unknown[] | undefined {
  if (Array.isArray(value)) return value;
  if (typeof value !== "object" || value === null) return undefined;
  const members = Object.entries(value);
  if (members.some(([, content]) => typeof content === "object")) return undefined;
  return members.map(([name, content]) => `${name}${between}${content}`);
}
