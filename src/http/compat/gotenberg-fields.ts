/** Parses the values of Gotenberg's form fields: JSON, lengths, conditions. */

import { exceedsBounds, type Members } from "../input/json-body.ts";
import { Invalid, isConvertible, type ProductParameters, Unsupported } from "./adapter.ts";
import { toSeconds } from "./conversions.ts";
import { cookieLine, headerLines } from "./page-calls.ts";

/** @throws {Unsupported} */
export function cookiesOfField(value: unknown): string[] {
  return jsonList(value).map((cookie, at) => {
    const lacks = ["name", "value", "domain"].find((name) => !Object(cookie)[name]);
    if (lacks) throw new Invalid(`must be a list in which every cookie has a name, value and domain; cookie ${at} has no ${lacks}`);
    return cookieLine(cookie);
  });
}

/** @throws {Unsupported} */
export function headersOfField(value: unknown): string[] {
  return headerLines(unscoped(json(value)));
}

function json(value: unknown): unknown {
  const text = String(value);
  if (exceedsBounds(text)) throw new Unsupported("it has too many values or levels");
  try {
    const parsed: unknown = JSON.parse(text);
    if (isConvertible(parsed)) return parsed;
  } catch {
    // Rejected below.
  }
  throw new Invalid("must be JSON, and no member may have the name of a built-in JavaScript property, such as toString");
}

function jsonList(value: unknown): unknown[] {
  const list = json(value);
  if (Array.isArray(list)) return list;
  throw new Invalid("must be a JSON array");
}

/** @throws {Unsupported} for headers with a scope, because they would also be sent to URLs outside it. */
function unscoped(headers: unknown): unknown {
  const scoped = Object.entries(Object(headers)).find(([, value]) => /;\s*scope/i.test(String(value)));
  if (!scoped) return headers;
  throw new Unsupported(`${scoped[0].slice(0, 50)} has a scope, but headers are only sent to the page's origin`);
}

/** Expands 499 to 400–499, and so on. */
export function statuses(value: unknown): string[] | undefined {
  const ranges = jsonList(value).map((status) => (/^[1-5]99$/.test(String(status)) ? `${String(status)[0]}00-${status}` : String(status)));
  return ranges.length > 0 ? ranges : undefined;
}

const featureOptions = new Map([
  ["prefers-color-scheme", "prefers_color_scheme"],
  ["prefers-reduced-motion", "prefers_reduced_motion"],
]);

/** Accepts an object, or a list of `{ name, value }` objects, which older clients send. */
export function features(value: unknown): Members {
  const sent = json(value);
  const named = Array.isArray(sent) ? sent.map((one) => [Object(one).name, Object(one).value]) : Object.entries(Object(sent));
  const entries = named.map(([name, content]) => {
    const option = featureOptions.get(String(name));
    if (!option) throw new Unsupported(`only the features ${[...featureOptions.keys()].join(" and ")} are emulated`);
    return [option, content] as const;
  });
  return Object.fromEntries(entries);
}

/** Rejects a form without an `index.html`, for which `readForm` returns an empty list. @throws {Invalid} */
export function documentIn(value: unknown): unknown {
  if (Array.isArray(value)) throw new Invalid("has no index.html");
  return value;
}

/** A length such as `8.5in`. Linear, for texts of up to 64 KB. */
const lengthForm = /^(\d+(?:\.\d*)?|\.\d+)(px|in|cm|mm|pt|pc)?$/;

/** Numbers without a unit are inches. Clients may send more decimals than a number can hold; the excess is dropped. */
export function length(value: unknown): unknown {
  const text = String(value).trim();
  const [, number, unit = "in"] = lengthForm.exec(text) ?? [];
  if (number === undefined) return text;
  return unit === "pc" ? `${Number(number) / 6}in` : `${Number(number)}${unit}`;
}

/** Validates one margin and returns all four. @throws {Invalid} */
export function checkedMargins(value: unknown, parameters: ProductParameters): string {
  if (!lengthForm.test(String(value).trim())) throw new Invalid("must be a length, such as 0.5 for inches, or 10mm");
  return margins(parameters);
}

/** An invalid margin, which is refused under its own name, counts as the default. */
export function margins(parameters: ProductParameters): string {
  const marginOf = (value: unknown) => length(lengthForm.test(String(value).trim()) ? value : 0.39);
  return ["marginTop", "marginRight", "marginBottom", "marginLeft"].map((name) => marginOf(parameters[name])).join(",");
}

/** @throws {Invalid} */
export function duration(value: unknown): number {
  const seconds = toSeconds(value);
  if (typeof seconds !== "number") throw new Invalid("must be a duration, such as 500ms or 2.5s");
  return seconds;
}

/** Like Gotenberg, fails the request if an expression throws or is undefined. */
export function condition({ waitForExpression, waitWindowStatus }: ProductParameters): string {
  const isStatus = `window.status === ${JSON.stringify(waitWindowStatus)}`;
  if (waitForExpression === undefined) return isStatus;
  return `async () => {
let value;
try {
  value = (${waitForExpression}\n);
  value = await (typeof value === "function" ? value() : value);
} catch (error) {
  throw new DOMException("it threw " + error, "AbortError");
}
if (value === undefined) throw new DOMException("it is undefined", "AbortError");
return value${waitWindowStatus === undefined ? "" : ` && ${isStatus}`};
}`;
}
