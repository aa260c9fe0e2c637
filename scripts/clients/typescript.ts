/** Prints the clients' types as TypeScript. */

import { type Definitions, nameOf, type Schema } from "./definitions.ts";

const notice = "/** Types of the API. Generated from openapi.yaml by `npm run generate`; do not edit. */";

export function typescriptTypes(definitions: Definitions): string {
  const interfaces = Object.entries(definitions).map(
    ([name, { description, extends: base, properties, required }]) =>
      `${description ? `/** ${safe(description)} */\n` : ""}export interface ${name}${base ? ` extends ${base}` : ""} ${members({ properties, required })}\n`,
  );
  return [`${notice}\n`, ...interfaces].join("\n");
}

/** Capture and watch options for the command line, with the kind of value that each takes. */
export function optionKinds(definitions: Definitions): string {
  const kinds = (name: string): Record<string, string> => {
    const { extends: base, properties } = definitions[name] ?? { properties: {} };
    return {
      ...(base ? kinds(base) : {}),
      ...Object.fromEntries(Object.entries(properties).map(([key, schema]) => [key, kindOf(schema)])),
    };
  };
  const table = (name: string, request: string) => {
    const entries = Object.entries(kinds(request)).map(([option, kind]) => `  ${option}: "${kind}",`);
    return `export const ${name}: Record<string, OptionKind> = {\n${entries.join("\n")}\n};\n`;
  };
  const type = `export type OptionKind = "flag" | "number" | "value" | "list" | "texts";\n`;
  const head = "/** Options of requests. Generated from openapi.yaml by `npm run generate`; do not edit. */";
  const tables = [table("takeOptions", "TakeRequest"), table("batchOptions", "BatchShared"), table("watchOptions", "WatchRequest")];
  return [`${head}\n`, type, ...tables].join("\n");
}

/** Lists in capture requests may also be sent as a single string; nullable ones, in watches, must be arrays of strings. */
function kindOf({ type, anyOf = [] }: Schema): string {
  const [first] = anyOf;
  if (first?.type === "array" && anyOf.some((one) => one.type === "null")) return "texts";
  return { boolean: "flag", integer: "number", number: "number", array: "list" }[String(first?.type ?? type)] ?? "value";
}

function members({ properties = {}, required = [] }: Schema): string {
  const lines = Object.entries(properties).map(([name, schema]) => {
    const key = /^[a-z_]\w*$/i.test(name) ? name : JSON.stringify(name);
    return `${comment(schema)}${key}${required.includes(name) ? "" : "?"}: ${typeOf(schema)};`;
  });
  return lines.length === 0 ? "{}" : `{\n${lines.join("\n").replace(/^/gm, "  ")}\n}`;
}

function comment({ description, default: value }: Schema): string {
  const parts = [description ?? "", value === undefined || value === "" ? "" : `@default ${JSON.stringify(value)}`].filter(Boolean);
  return parts.length === 0 ? "" : `/** ${safe(parts.join(" "))} */\n`;
}

function safe(text: string): string {
  return text.replaceAll("*/", "*\\/").replace(/\s+/g, " ");
}

function typeOf(schema: Schema): string {
  const { $ref, anyOf, items, properties, additionalProperties } = schema;
  if ($ref) return nameOf($ref);
  if (anyOf) return anyOf.map(typeOf).join(" | ");
  const values = schema.enum ?? (schema.const === undefined ? undefined : [schema.const]);
  if (values) return values.map((value) => JSON.stringify(value)).join(" | ");
  if (properties) return members(schema);
  if (typeof additionalProperties === "object") return `Record<string, ${typeOf(additionalProperties)}>`;
  if (items) return /^\w+$/.test(typeOf(items)) ? `${typeOf(items)}[]` : `(${typeOf(items)})[]`;
  return [schema.type ?? "unknown"].flat().map(primitive).join(" | ");
}

function primitive(type: string): string {
  return { integer: "number", array: "unknown[]", object: "Record<string, unknown>" }[type] ?? type;
}
