/** Form options generated from the API's OpenAPI document: new parameters appear without a change here. */

import type { OpenApi, Parameter, ParameterSchema } from "../api/openapi.ts";
import type { Search } from "../search.ts";

type Control = "switch" | "choice" | "choices" | "number" | "lines" | "text" | "long";

export interface Option {
  name: string;
  about: string;
  control: Control;
  /** Allowed values of an enum. */
  values: string[];
  /** The default as text; empty if there is none. */
  fallback: string;
  example: string;
  minimum: number | undefined;
  maximum: number | undefined;
  whole: boolean;
  secret: boolean;
}

export interface OptionGroup {
  title: string;
  options: Option[];
}

/** Form values by option: text, or a list of texts. */
export type Values = Record<string, string | string[]>;

/** Options that make no sense in the playground, which shows the image itself. */
const excluded = new Set(["api_key", "response_type", "attachment_name", "signature", "expires", "dry_run"]);
/** Options with a dedicated field. */
const ofSource = new Set(["url", "html", "markdown", "base_url"]);

/** Groups in the document's order, without the options that say what is captured, which have a dedicated field. */
export function optionGroups(document: OpenApi): OptionGroup[] {
  const parameters = document.paths["/v1/screenshots/take"]?.get?.parameters ?? [];
  const shown = parameters.filter(({ name, in: where }) => where === "query" && !ofSource.has(name) && !excluded.has(name));
  const groups = Map.groupBy(shown, (parameter) => parameter["x-group"] ?? "More");
  return [...groups].map(([title, members]) => ({ title, options: members.map(optionOf) }));
}

function optionOf(parameter: Parameter): Option {
  const { name, description = "", schema } = parameter;
  const { items, ...rest } = schema;
  const one = single(rest);
  const [example] = [schema.examples ?? []].flat(2);
  return {
    name,
    about: description.replaceAll("`", ""),
    control: controlOf(schema),
    values: (items ? single(items).enum : one.enum) ?? [],
    fallback: schema.default === undefined || schema.default === "" ? "" : [schema.default].flat().join(", "),
    example: example === undefined ? "" : String(example),
    minimum: one.minimum,
    maximum: one.maximum,
    whole: typesOf(one).includes("integer"),
    secret: parameter["x-secret"] === true,
  };
}

function controlOf(schema: ParameterSchema): Control {
  const types = typesOf(single(schema));
  if (types.includes("array")) return schema.items?.enum ? "choices" : "lines";
  const one = single(schema);
  if (one.enum) return "choice";
  if (types.includes("boolean")) return "switch";
  if (types.includes("integer") || types.includes("number")) return "number";
  return (one.maxLength ?? 0) > 4096 ? "long" : "text";
}

/** The first alternative of `anyOf` that is not null. */
function single(schema: ParameterSchema): ParameterSchema {
  return schema.anyOf?.find(({ type }) => type !== "null") ?? schema;
}

function typesOf({ type }: ParameterSchema): string[] {
  return [type ?? "string"].flat();
}

/** The values in a query string; unknown names are dropped. */
export function valuesOf(search: Search, groups: OptionGroup[]): Values {
  const known = new Map(groups.flatMap(({ options }) => options.map((option) => [option.name, option] as const)));
  return Object.fromEntries(
    Object.entries(search).flatMap(([name, value]) => {
      if (value === undefined || !(ofSource.has(name) || known.has(name))) return [];
      const listed = ["choices", "lines"].includes(known.get(name)?.control ?? "");
      return [[name, listed ? [value].flat() : String([value].flat()[0])]];
    }),
  );
}

/** The values to send: neither empty nor the default. */
export function given(values: Values, groups: OptionGroup[]): Values {
  const fallbacks = new Map(groups.flatMap(({ options }) => options.map(({ name, fallback }) => [name, fallback] as const)));
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => {
      const kept = Array.isArray(value) ? value.map((item) => item.trim()).filter((item) => item !== "") : value.trim();
      return kept.length === 0 || [kept].flat().join(", ") === fallbacks.get(name) ? [] : [[name, kept]];
    }),
  );
}

/** The values that may appear in the URL: no cookies, headers, passwords or documents. */
export function shareable(values: Values, groups: OptionGroup[]): Values {
  const secrets = groups.flatMap(({ options }) => options.filter(({ secret }) => secret).map(({ name }) => name));
  const left = new Set(["html", "markdown", ...secrets]);
  return Object.fromEntries(Object.entries(values).filter(([name]) => !left.has(name)));
}

/** Name-value pairs; lists repeat the name. */
export function pairsOf(values: Values): [string, string][] {
  return Object.entries(values).flatMap(([name, value]) => [value].flat().map((item): [string, string] => [name, item]));
}
