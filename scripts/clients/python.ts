/** Prints the clients' types as Python: a `TypedDict` for each object. */

import { type Definitions, nameOf, type Schema } from "./definitions.ts";

const head = `"""Types of the API. Generated from openapi.yaml by \`npm run generate\`; do not edit."""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict`;

const keywords =
  "False None True and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield".split(
    " ",
  );

export function pythonTypes(definitions: Definitions): string {
  const classes: string[] = [];

  /** Declares a class for an object, preceded by classes for nested objects. */
  function declare(name: string, { description = "", properties = {}, required = [] }: Schema, base = "TypedDict"): string {
    const reserved = Object.keys(properties).filter((key) => keywords.includes(key));
    if (reserved.length > 0) {
      // Only the functional syntax allows keys that are Python keywords.
      const members = reserved.map((key) => `"${key}": NotRequired[${typeOf(properties[key] ?? {}, name + pascal(key))}]`);
      classes.push(`${name}Reserved = TypedDict("${name}Reserved", {${members.join(", ")}})`);
    }
    const lines = Object.entries(properties).flatMap(([key, schema]) => {
      if (reserved.includes(key)) return [];
      if (!/^[a-z_]\w*$/i.test(key)) throw new Error(`${name}.${key} is not a valid name in Python.`);
      const type = typeOf(schema, name + pascal(key));
      const doc = schema.description ? `\n    """${safe(schema.description)}"""` : "";
      return `    ${key}: ${required.includes(key) ? type : `NotRequired[${type}]`}${doc}`;
    });
    const doc = description ? [`    """${safe(description)}"""`] : [];
    const body = [...doc, ...lines];
    const bases = reserved.length > 0 ? [base, `${name}Reserved`].filter((one) => one !== "TypedDict") : [base];
    classes.push(`class ${name}(${bases.join(", ")}):\n${body.length === 0 ? "    pass" : body.join("\n")}`);
    return name;
  }

  function typeOf(schema: Schema, name: string): string {
    const { $ref, anyOf, items, properties, additionalProperties } = schema;
    if ($ref) return nameOf($ref);
    if (anyOf) return anyOf.map((one) => typeOf(one, name)).join(" | ");
    const values = schema.enum ?? (schema.const === undefined ? undefined : [schema.const]);
    if (values)
      return `Literal[${values.map((value) => (typeof value === "boolean" ? pascal(String(value)) : JSON.stringify(value))).join(", ")}]`;
    if (properties) return declare(name, schema);
    if (typeof additionalProperties === "object") return `dict[str, ${typeOf(additionalProperties, name)}]`;
    if (items) return `list[${typeOf(items, name)}]`;
    return [schema.type ?? "any"].flat().map(primitive).join(" | ");
  }

  for (const [name, { extends: base, ...definition }] of Object.entries(definitions)) declare(name, definition, base);
  return `${[head, ...classes].join("\n\n\n")}\n`;
}

function primitive(type: string): string {
  const names: Record<string, string> = {
    string: "str",
    integer: "int",
    number: "float",
    boolean: "bool",
    null: "None",
    array: "list[Any]",
    object: "dict[str, Any]",
  };
  return names[type] ?? "Any";
}

function pascal(text: string): string {
  return text.replace(/(^|_)(\w)/g, (_match, _dash, letter: string) => letter.toUpperCase());
}

/** Escapes text for a triple-quoted string. */
function safe(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll('"""', "'''").replace(/\s+/g, " ").replace(/"$/, '" ');
}

/** Replacements that turn `asyncio` code into synchronous code. */
const forms: [RegExp, string][] = [
  [/\basync (def|for|with)\b/g, "$1"],
  [/\bawait /g, ""],
  [/\bAsync([A-Z]\w*)/g, "$1"],
  [/\ba(iter_\w+|read|close)\b/g, "$1"],
  [/\b__a(enter|exit)__/g, "__$1__"],
  [/\basyncio\.sleep\b/g, "time.sleep"],
  [/\basyncio\.timeout\(/g, "nullcontext("], // a blocking call can't be canceled: each read has its own timeout
  [/^import asyncio\n(import .*\n)(from collections.*\n)/gm, "$1$2from contextlib import nullcontext\n"],
  [/^"""[^\n]*"""$/m, `"""The client without \`asyncio\`. Generated from asynchronous.py by \`npm run generate\`; do not edit."""`],
];

/** Converts the `asyncio` client to the synchronous one. */
export function synchronous(source: string): string {
  return forms.reduce((text, [from, to]) => text.replace(from, to), source);
}
