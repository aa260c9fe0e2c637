/** Converts arguments of Puppeteer's page methods, which several products accept as JSON, to our options. */

import { parseUrl } from "../../shared/urls.ts";
import type { Members } from "../input/json-body.ts";
import { as, asList, Invalid, type Table } from "./adapter.ts";

/** The members of Puppeteer's `viewport`. */
export const viewport: Table = {
  "viewport.width": as("width"),
  "viewport.height": as("height"),
  "viewport.deviceScaleFactor": as("device_scale_factor"),
  "viewport.isMobile": as("is_mobile"),
  "viewport.hasTouch": as("has_touch"),
  "viewport.isLandscape": as("is_landscape"),
};

type Fields = Record<string, unknown>;

function fieldsOf(value: unknown, what: string): Fields {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Fields;
  throw new Invalid(`must be ${what}`);
}

/** Converts an object of headers to `Name: Value` lines. */
export function headerLines(value: unknown): string[] {
  return Object.entries(fieldsOf(value, "an object of names and values")).map(([name, content]) => `${name}: ${content}`);
}

/** Converts a Puppeteer cookie to a `Set-Cookie` line. */
export function cookieLine(value: unknown): string {
  const { name, value: content, url, domain, path, secure, httpOnly, sameSite, expires } = fieldsOf(value, "a list of cookies");
  const host = domain ?? (typeof url === "string" ? parseUrl(url)?.hostname : undefined);
  const ends = typeof expires === "number" && expires > 0 ? new Date(expires * 1000).toUTCString() : undefined;
  return [
    `${name}=${content}`,
    ...(host ? [`Domain=${host}`] : []),
    ...(path ? [`Path=${path}`] : []),
    ...(ends ? [`Expires=${ends}`] : []),
    ...(sameSite ? [`SameSite=${sameSite}`] : []),
    ...(secure ? ["Secure"] : []),
    ...(httpOnly ? ["HttpOnly"] : []),
  ].join("; ");
}

/** Converts a list of `{ content }` or `{ url }` to `styles` or `scripts`. For URLs, a script adds the element and waits for it to load. */
export function addTags(kind: "style" | "script", value: unknown): Members {
  const scripts: string[] = [];
  const styles: string[] = [];
  for (const tag of asList(value).map((one) => fieldsOf(one, "a list of objects with content or url"))) {
    if (typeof tag.content === "string") (kind === "style" ? styles : scripts).push(`${tag.content}\n`);
    else if (typeof tag.url === "string") scripts.push(elementScript(kind, tag.url));
    else throw new Invalid("must be a list of objects with content or url");
  }
  return { ...(scripts.length > 0 ? { scripts: scripts.join("") } : {}), ...(styles.length > 0 ? { styles: styles.join("") } : {}) };
}

function elementScript(kind: "style" | "script", url: string): string {
  const element = kind === "style" ? { tag: "link", rel: "stylesheet", href: url } : { tag: "script", src: url };
  return `await new Promise((resolve, reject) => {
  const { tag, ...attributes } = ${JSON.stringify(element)};
  document.head.append(Object.assign(document.createElement(tag), attributes, { onload: resolve, onerror: reject }));
});
`;
}

/** A script that scrolls to the first matching element, then `by` pixels further. */
export function scrollScript(selector: unknown, by = 0): string {
  return `document.querySelector(${JSON.stringify(selector)})?.scrollIntoView();\nscrollBy(0, ${by});`;
}

/** Source code of a function that tries each condition in turn, until it is true or `ms` milliseconds have passed, and returns true. */
export function untilMetOrOver(waits: { condition: string; ms: number }[]): string {
  const loops = waits.map(
    ({ condition, ms }) => `await (async (until) => {
  for (; performance.now() < until; await new Promise((next) => setTimeout(next, 50)))
    try {
      const value = (${condition}\n);
      if (await (typeof value === "function" ? value() : value)) return;
    } catch {}
})(performance.now() + ${ms});`,
  );
  return `async () => {\n${loops.join("\n")}\nreturn true;\n}`;
}
