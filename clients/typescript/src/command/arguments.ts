/** Parses the command line: `--name=value` for options of a command, and for those of the service. */

import { nearest } from "./nearest.ts";
import type { OptionKind } from "./options.generated.ts";
import { UsageError } from "./say.ts";

export type Value = string | number | boolean | unknown[];

export interface Given {
  positionals: string[];
  /** The command's own options; `""` for a flag, and lines for one that may be repeated. */
  own: Record<string, string>;
  /** Options for the service. */
  options: Record<string, Value>;
}

/** Options of all commands, each with whether it takes a value. */
const shared: Record<string, boolean> = { server: true, "key-file": true, wait: true, help: false };
const short: Record<string, string> = { "-o": "--out", "-h": "--help" };

/**
 * @param own options of the command, each with whether it takes a value; `lines` may be repeated.
 * @param known options of the service. Their names may be written with dashes instead of underscores; a flag takes no value, or `false`.
 * @throws {UsageError}
 */
export function readArguments(args: string[], own: Record<string, boolean | "lines">, known: Record<string, OptionKind> = {}): Given {
  const ours = { ...shared, ...own };
  const given: Given = { positionals: [], own: {}, options: {} };
  const lists = new Map<string, string[]>();
  const rest = args.map((arg) => (Object.hasOwn(short, arg) ? (short[arg] as string) : arg));
  for (let arg = rest.shift(); arg !== undefined; arg = rest.shift()) {
    if (arg === "--") given.positionals.push(...rest.splice(0));
    else if (!arg.startsWith("-") || arg === "-") given.positionals.push(arg);
    else if (!arg.startsWith("--"))
      throw new UsageError(`${arg} is not an option: names have two dashes, but for ${Object.keys(short).join(" and ")}.`);
    else {
      const [, text = "", inline] = /^--([^=]*)(?:=(.*))?$/s.exec(arg) ?? [];
      const name = Object.hasOwn(ours, text) ? text : text.replaceAll("-", "_");
      const kind = !Object.hasOwn(ours, name) && Object.hasOwn(known, name) ? known[name] : undefined;
      if (kind === undefined && !Object.hasOwn(ours, name)) throw unknown(text, [...Object.keys(ours), ...Object.keys(known)]);
      const takesValue = kind ? kind !== "flag" : ours[name];
      if (!takesValue && kind === undefined && inline !== undefined) throw new UsageError(`--${text} takes no value.`);
      const value = inline ?? (takesValue ? rest.shift() : "");
      if (value === undefined) throw new UsageError(`--${text} needs a value: --${text}=VALUE.`);
      if (kind === undefined) given.own[name] = ours[name] === "lines" && given.own[name] ? `${given.own[name]}\n${value}` : value;
      else if (kind === "list" || kind === "texts") lists.set(name, [...(lists.get(name) ?? []), value]);
      else given.options[name] = typedValue(kind, value);
    }
  }
  for (const [name, values] of lists) given.options[name] = listOf(values, known[name] === "list");
  return given;
}

function typedValue(kind: OptionKind, text: string): Value {
  if (kind === "flag") return text === "" ? true : text;
  return kind === "number" && /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text; // the service reports what is wrong
}

/** A single value may itself be a list, which the service parses. */
function listOf(values: string[], mayBeText: boolean): Value {
  const [first = ""] = values;
  if (values.length > 1 || (!mayBeText && !first.startsWith("["))) return values;
  if (!first.startsWith("[{") && mayBeText) return first;
  try {
    return JSON.parse(first);
  } catch {
    throw new UsageError(`${first} is not a list in JSON.`);
  }
}

function unknown(text: string, names: string[]): UsageError {
  const near = nearest(text.replaceAll("-", "_"), names);
  return new UsageError(`--${text} is not an option of this command${near ? ` (did you mean --${near}?)` : ""}.`);
}
