/** Arguments of Puppeteer's page methods, which several products take as JSON, in the notation of our options. */

import type { Members } from "../json-body.ts";
import { listOf, NotServed } from "./door.ts";

type Fields = Record<string, unknown>;

function fieldsOf(value: unknown, what: string): Fields {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Fields;
  throw new NotServed(`it must be ${what}`);
}

/** `Name: Value` lines of an object. */
export function headerLines(value: unknown): string[] {
  return Object.entries(fieldsOf(value, "an object of names and values")).map(([name, content]) => `${name}: ${content}`);
}

/** A `Set-Cookie` line of a cookie as Puppeteer takes it. */
export function cookieLine(value: unknown): string {
  const { name, value: content, url, domain, path, secure, httpOnly, sameSite, expires } = fieldsOf(value, "a list of cookies");
  const host = domain ?? (typeof url === "string" ? URL.parse(url)?.hostname : undefined);
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

/** `styles` or `scripts` of a list of `content` and `url`; what has a URL is added as an element, and waited for. */
export function addTags(kind: "style" | "script", value: unknown): Members {
  const scripts: string[] = [];
  const styles: string[] = [];
  for (const tag of listOf(value).map((one) => fieldsOf(one, "a list of objects with content or url"))) {
    if (typeof tag.content === "string") (kind === "style" ? styles : scripts).push(`${tag.content}\n`);
    else if (typeof tag.url === "string") scripts.push(elementScript(kind, tag.url));
    else throw new NotServed("each must have content or url");
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

/** A script that scrolls to the first element that matches, and `by` pixels further. */
export function scrollScript(selector: unknown, by = 0): string {
  return `document.querySelector(${JSON.stringify(selector)})?.scrollIntoView();\nscrollBy(0, ${by});`;
}

/** A function that waits for one condition after the other, each for at most its `ms`, and is true then in any case. */
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
