/** Fields of Gotenberg's forms that are JSON. */

import { exceedsBounds, type Members } from "../json-body.ts";
import { isReadable, NotServed } from "./door.ts";
import { cookieLine, headerLines } from "./page-calls.ts";

/** @throws {NotServed} */
export function cookiesOf(value: unknown): string[] {
  return jsonList(value).map(cookieLine);
}

/** @throws {NotServed} */
export function headersOf(value: unknown): string[] {
  return headerLines(unscoped(json(value)));
}

function json(value: unknown): unknown {
  const text = String(value);
  if (exceedsBounds(text)) throw new NotServed("it has too many values or levels");
  try {
    const parsed: unknown = JSON.parse(text);
    if (isReadable(parsed)) return parsed;
  } catch {
    // Refused below.
  }
  throw new NotServed("it must be JSON, without members such as toString");
}

function jsonList(value: unknown): unknown[] {
  const list = json(value);
  if (Array.isArray(list)) return list;
  throw new NotServed("it must be a JSON array");
}

/** @throws {NotServed} for headers that are for some addresses only: they would be sent to others. */
function unscoped(headers: unknown): unknown {
  const scoped = Object.entries(Object(headers)).find(([, value]) => /;\s*scope/i.test(String(value)));
  if (!scoped) return headers;
  throw new NotServed(`${scoped[0].slice(0, 50)} has a scope, but headers are sent to the page's origin, and nowhere else`);
}

/** 499 stands for 400 to 499, and so on. */
export function statuses(value: unknown): string[] | undefined {
  const ranges = jsonList(value).map((status) => (/^[1-5]99$/.test(String(status)) ? `${String(status)[0]}00-${status}` : String(status)));
  return ranges.length > 0 ? ranges : undefined;
}

const featureOptions = new Map([
  ["prefers-color-scheme", "prefers_color_scheme"],
  ["prefers-reduced-motion", "prefers_reduced_motion"],
]);

/** An object of names and values, or a list of objects with `name` and `value`, as older clients send it. */
export function features(value: unknown): Members {
  const sent = json(value);
  const named = Array.isArray(sent) ? sent.map((one) => [Object(one).name, Object(one).value]) : Object.entries(Object(sent));
  const entries = named.map(([name, content]) => {
    const option = featureOptions.get(String(name));
    if (!option) throw new NotServed(`of features, only ${[...featureOptions.keys()].join(" and ")} are emulated`);
    return [option, content] as const;
  });
  return Object.fromEntries(entries);
}
