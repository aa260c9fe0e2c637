/** Translates a request's parameters with an adapter's table, and reports unsupported ones. */

import { AppError, type ParameterProblem, problemsFoundMax } from "../../shared/errors.ts";
import type { Members } from "../input/json-body.ts";
import { didYouMean } from "../input/problems.ts";
import { textMax } from "../input/values.ts";
import { type Adapter, type AdapterRoute, Invalid, isConvertible, type ProductParameters, type Table, Unsupported } from "./adapter.ts";

/** Maximum number of parameters in a request; products define about a hundred. */
const parametersMax = 500;

/** Flattens nested objects to dotted names, except objects with their own table entry. */
export function flatten(members: Members, table: Table): Record<string, unknown> {
  return Object.fromEntries(entriesOf(members, table));
}

function entriesOf(members: Members, table: Table, prefix = ""): [string, unknown][] {
  return Object.entries(members).flatMap(([own, value]): [string, unknown][] => {
    const name = prefix + own;
    if (value === null || value === undefined || value === "") return []; // treated as absent
    const isObject = typeof value === "object" && !Array.isArray(value);
    return isObject && !Object.hasOwn(table, name) ? entriesOf(value as Members, table, `${name}.`) : [[name, value]];
  });
}

/** Merges the query, path and body parameters. @throws {AppError} `invalid_parameters` if there are too many, or a name is repeated. */
export function mergeParameters(sources: readonly Members[], table: Table): Record<string, unknown> {
  const all = new Map<string, unknown>();
  const entries = sources.flatMap((source) => entriesOf(source, table));
  if (entries.length > parametersMax)
    throw new AppError("invalid_parameters", { message: `The request has more than ${parametersMax} parameters.` });
  for (const [name, value] of entries) {
    if (all.has(name)) throw new AppError("invalid_parameters", { details: [repeated(name)] });
    all.set(name, value);
  }
  return Object.fromEntries(all);
}

export function tableOf(adapter: Pick<Adapter, "table">, route: Pick<AdapterRoute, "table">): Table {
  return { ...adapter.table, ...route.table };
}

/** A request translated to our options. `problems` explains which parameters are unsupported or invalid. */
interface Translated {
  members: Members;
  warnings: string[];
  problems: ParameterProblem[];
}

/** @throws {AppError} `invalid_parameters` for values that are too long or can't be converted to strings. */
export function translate(
  adapter: Pick<Adapter, "table" | "title" | "defaults">,
  route: AdapterRoute,
  parameters: ProductParameters,
): Translated {
  const table = tableOf(adapter, route);
  const odd = Object.entries(parameters).filter(([, value]) => !isConvertible(value));
  if (odd.length > 0)
    throw new AppError("invalid_parameters", { details: odd.slice(0, problemsFoundMax).map(([name]) => unreadable(name)) });
  const long = Object.entries(parameters).flatMap(([name, value]) => tooLong(name, value, table) ?? []);
  if (long.length > 0) throw new AppError("invalid_parameters", { details: long.slice(0, problemsFoundMax) });
  const problems: ParameterProblem[] = [];
  const warnings: string[] = [];
  const members: Record<string, unknown> = { ...adapter.defaults(parameters), ...route.defaults?.(parameters) };
  const translated: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(parameters)) {
    if (problems.length === problemsFoundMax) break;
    const entry = table[nameInTable(name, table)];
    if (!entry) {
      problems.push(unknown(name, adapter.title, Object.keys(table)));
      continue;
    }
    try {
      const read = entry.read(value, parameters, name);
      for (const [option, content] of Object.entries(read)) translated[option] = merged(option, translated[option], content);
      if (entry.ours.length === 0 && entry.note && !entry.refuses && !entry.affectsResponse)
        warnings.push(`${name} has no effect: ${entry.note}`);
    } catch (error) {
      if (!(error instanceof Unsupported)) throw error;
      const is = error instanceof Invalid ? " " : " is not supported here: ";
      problems.push({ parameter: name, message: name + is + error.message });
    }
  }
  return { members: Object.assign(members, translated), warnings, problems };
}

/**
 * Calls `read`, which validates the translated options.
 * @throws {AppError} `invalid_parameters` with both translation and validation problems.
 */
export function readWithProblems<T>(problems: ParameterProblem[], read: () => T): T {
  if (problems.length === 0) return read();
  const others = detailsOf(read).filter(({ message }) => !/ is missing\b/.test(message)); // the unsupported parameter may have provided it
  throw new AppError("invalid_parameters", { details: [...problems, ...others].slice(0, problemsFoundMax) });
}

function detailsOf(read: () => unknown): ParameterProblem[] {
  try {
    read();
    return [];
  } catch (error) {
    if (error instanceof AppError && error.details) return error.details;
    throw error;
  }
}

/** The table key for a name: the name itself, or the longest matching wildcard. */
export function nameInTable(name: string, table: Table): string {
  if (Object.hasOwn(table, name)) return name;
  const covering = Object.keys(table).filter((one) => one.endsWith(".*") && name.startsWith(one.slice(0, -1)));
  return covering.sort((one, other) => other.length - one.length)[0] ?? "";
}

/** Options that hold documents and have their own length limit. */
const documents = new Set(["html", "markdown"]);

/** Maximum length of all strings of a parameter together, such as those of a list, in characters: some are converted one by one. */
const allTextMax = 4 * textMax;

/** Rejects overlong strings before they are processed, except in options that hold documents. */
function tooLong(name: string, value: unknown, table: Table): ParameterProblem | undefined {
  const excess = excessOf(value);
  if (excess === undefined || table[nameInTable(name, table)]?.ours.some((option) => documents.has(option))) return undefined;
  const shown = shownName(name);
  return { parameter: shown, message: `${shown} must have at most ${excess}` };
}

/** The limit that a name or string of the value exceeds, or all of them together, as the end of an error message; undefined if none. */
function excessOf(value: unknown, all = { length: 0 }): string | undefined {
  if (typeof value === "string") {
    all.length += value.length;
    if (value.length > textMax) return `${textMax} characters, but has ${value.length}`;
    return all.length > allTextMax ? `${allTextMax} characters in all its texts` : undefined;
  }
  if (typeof value !== "object" || value === null) return undefined;
  for (const [name, own] of Object.entries(value)) {
    const excess = excessOf(name, all) ?? excessOf(own, all);
    if (excess !== undefined) return excess;
  }
  return undefined;
}

/** Concatenates lists, scripts and styles set by several parameters; for other options, the last value wins. */
function merged(option: string, before: unknown, value: unknown): unknown {
  if (Array.isArray(before) && Array.isArray(value)) return [...before, ...value];
  return before !== undefined && ["scripts", "styles"].includes(option) ? `${before}\n${value}` : value;
}

function repeated(name: string): ParameterProblem {
  const shown = shownName(name);
  return { parameter: shown, message: `${shown} is sent more than once, for example in the query and in the body` };
}

function unreadable(name: string): ParameterProblem {
  const shown = shownName(name);
  return { parameter: shown, message: `${shown} has a member with the name of a built-in JavaScript property, such as toString` };
}

function shownName(name: string): string {
  return name.replace(/[^\w.[\]-]/g, "?").slice(0, 50);
}

function unknown(name: string, product: string, names: string[]): ParameterProblem {
  const shown = shownName(name);
  return {
    parameter: shown,
    message: `${shown} is not a supported ${product} parameter${didYouMean(name, names)}`,
    allowed: "a name in docs/compatible.md",
  };
}

/** Rewrites an error to use the request's parameter names instead of ours. */
export function withProductNames(failure: AppError, table: Table, parameters: ProductParameters): AppError {
  if (!failure.details) return failure;
  const all = new Map(Object.keys(parameters).map((name) => [name, table[nameInTable(name, table)]?.ours ?? []]));
  const oursOf = (name: string) => all.get(name) ?? [];
  const details = failure.details.map((detail) => {
    const { parameter, message } = detail;
    const setting = Object.keys(parameters).filter((name) => oursOf(name).includes(parameter));
    const [theirs] = setting.sort((one, other) => oursOf(one).length - oursOf(other).length); // the most specific
    if (!theirs || theirs === parameter || !message.startsWith(parameter)) return detail;
    return { ...detail, parameter: theirs, message: theirs + message.slice(parameter.length) };
  });
  const { code, retryable, retryAfterSeconds, cause } = failure;
  return new AppError(code, { details, retryable, cause, ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }) });
}
