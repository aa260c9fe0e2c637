/** Requests with texts that repeat a short unit, in every field of every route. */

import type { Adapter, AdapterRoute } from "../../../src/http/compat/adapter.ts";
import { adapters } from "../../../src/http/compat/adapters.ts";
import { tableOf } from "../../../src/http/compat/translate.ts";
import { parameterSchemas } from "../../../src/http/input/validation.ts";
import { jsonSchemaOf } from "../../../src/http/openapi/operation.ts";
import { operations } from "../../../src/http/openapi/operations.ts";
import { compareTool } from "../../../src/mcp/tools/compare.ts";
import { readPageTool } from "../../../src/mcp/tools/read-page.ts";
import { screenshotTool } from "../../../src/mcp/tools/screenshot.ts";
import { watch } from "../../../src/mcp/tools/watch.ts";
import type { TakeSchema } from "../../../src/screenshots/take/take-options.ts";
import type { Sent } from "../../support/sender.ts";

/** The repeated unit, and the text around it. */
type Shape = readonly [before: string, unit: string, after: string];

/** What patterns, parsers and translations look for. */
const units = [
  ...Array.from("A1{[(\"',.:;/\\|#%&=@*?-_+ \n\t<$^é😀\0"),
  ...[
    "a_",
    "{}",
    "[]",
    "a|",
    "%25",
    "a ",
    "a.",
    "a,",
    "a:1;",
    "../",
    "1s",
    "1 1",
    "a=1; ",
    "http://a/",
    "*.a,",
    ".*",
    "\\(",
    "(a|b)",
    "a-",
  ],
  ...["//", "&#1;", "a: b\n", "\r\n", "1,", "1-2,", "[a]", "::", "0x"],
];

/** Different characters of another script: the more precede a character, the longer it takes to convert. */
const chinese = Array.from({ length: 1_900 }, (_, index) => String.fromCodePoint(0x4e00 + index)).join("");
/** Accents on one letter, in the wrong order: sorting them takes time that grows with the square of their number. */
const accents = "\u0345".repeat(900) + "\u0323".repeat(900);

const texts: Shape[] = [
  ...["", "http://", "http://a/"].flatMap((before): Shape[] => [
    [before, chinese, ""],
    [before, accents, ""],
  ]),
  ...units.map((unit): Shape => ["", unit, ""]),
  ...["1", "a", " ", "-", "a.", "1s"].map((unit): Shape => ["", unit, "!"]),
  ...["a", "//", "a.", "a/"].map((unit): Shape => ["http://", unit, ":"]),
  // Lists and objects, which some fields parse as JSON.
  ...["{},", "[", "1,", '"a",', '{"a":[]},', "null,", '{"name":"a","value":"b"},', '"http://a/",'].map((unit): Shape => ["[", unit, "0]"]),
  ["{", '"a":1,', '"b":1}'],
  ['{"a":"', "a", '"}'],
  ['["', "A", '"]'],
];

/** Values for members that aren't text. */
const values: Shape[] = [
  ...['"a",', '"a|a",', "{},", "[],", "1,", '"http://a/",', '{"a":"b"},', '{"name":"a","value":"b"},', '{"content":"a"},'].map(
    (unit): Shape => ["[", unit, "0]"],
  ),
  ["1", "1", ""],
  ["[", "[", ""],
  ['{"a":', "[", ""],
  ...["A", "1", "a|", "(a|b)", " ", "\\\\"].map((unit): Shape => ['["', unit, '"]']),
  // Lists of texts, each of which is as long as many fields allow.
  ...["a", "1, ", "a: b; ", `(${"a|".repeat(19)}b)${"x".repeat(200)}`].map(
    (unit): Shape => ["[", `"${unit.repeat(Math.floor(4_000 / unit.length))}",`, "0]"],
  ),
  ...[chinese, accents].map((text): Shape => ["[", `"http://a/${text}","http://${text}","${text}",`, "0]"]),
  ["[", `{"url":"http://${chinese}","value":"${accents}","name":"a"},`, "0]"],
  ["[", `"(${"a|".repeat(19)}b)${"x".repeat(4_000)}",`, "0]"],
];

/** Bodies that are rejected as a whole, or should be. */
const bodies: Shape[] = [
  ...["{", "[", '"', ",", ":", " ", "1", "\\", "\n", "a", "é", "\0", '{"a":', '"a",', "{},", "\\u0000"].map(
    (unit): Shape => ["", unit, ""],
  ),
  ...["{", "[", '"a":1,', '"a":{},', '"', " ", "[],"].map((unit): Shape => ["{", unit, ""]),
  ['{"a":"', '\\"', '"}'],
  ['{"a":[', "[],", "0]}"],
  ['{"a":[', "1,", "0]}"],
];

const headers = [
  ...["accept", "accept-encoding", "accept-language", "authorization", "cache-control", "content-disposition", "content-type", "cookie"],
  ...[
    "forwarded",
    "host",
    "idempotency-key",
    "if-modified-since",
    "if-none-match",
    "last-event-id",
    "origin",
    "prefer",
    "range",
    "referer",
  ],
  ...[
    "sec-fetch-site",
    "te",
    "traceparent",
    "tracestate",
    "user-agent",
    "x-access-key",
    "x-api-key",
    "x-forwarded-for",
    "x-forwarded-host",
  ],
  ...["x-forwarded-proto", "x-request-id", "gotenberg-trace", "gotenberg-output-filename"],
];

/** Sends a shape in one field. @param bytes length of the whole text. */
interface Field {
  what: string;
  shapes: readonly Shape[];
  /** Whether its requests may be megabytes long. */
  isLarge: boolean;
  sent(shape: Shape, bytes: number): Sent;
}

/** A request line and its headers are limited to 64 KB. */
const headMax = 60_000;

export interface Keys {
  key: string;
  /** Restricted to the domain of the requests' `Origin`. */
  boundKey: string;
  /** Headers of a signed-in user. */
  session: Record<string, string>;
}

export async function fieldsOf(schema: TakeSchema, keys: Keys): Promise<Field[]> {
  const all = await Promise.all(Object.values(adapters).map((load) => load()));
  const options = Object.keys(parameterSchemas(schema));
  const own = { ...keys.session, "x-api-key": keys.key };
  const take = "/v1/screenshots/take";
  const page = { url: "http://127.0.0.1:9/" };
  return [
    ...options.flatMap((name) => [query(own, take, page, name), ...members(own, take, page, name)]),
    query(own, take, page, ""),
    ...["name", "outputs", "response_type", "async", "webhook_url", "slice_height"].flatMap((name) =>
      members(own, "/v1/captures", { ...page, outputs: [{}] }, name),
    ),
    ...["shared", "captures", "sitemap_url", "limit", "webhook_url"].flatMap((name) =>
      members(own, "/v1/batches", { captures: [page] }, name),
    ),
    ...operationFields(own),
    ...all.flatMap((adapter) => [...routesOf(adapter).values()].flatMap((route) => adapterFields(adapter, route, keys))),
    ...[screenshotTool, readPageTool, compareTool, watch].flatMap((tool) => toolFields(own, tool)),
    ...[
      "/v1/screenshots/take",
      "/v1/captures",
      "/v1/batches",
      "/v1/compare",
      "/v1/watches",
      "/mcp",
      "/screenshot",
      "/take",
      "/v1/auth/sign-in",
    ].map(
      (path): Field => ({
        what: `body of ${path}`,
        shapes: bodies,
        isLarge: !path.startsWith("/v1/auth"),
        sent: (shape, bytes) => ({ method: "POST", path, headers: { ...own, ...json }, body: repeated(shape, bytes) }),
      }),
    ),
    ...headers.flatMap((name) => [headerField(own, name, take), headerField(own, name, "/v1/account")]),
    ...["/", "/v1/screenshots/", "/get/", "/mshots/v1/", "/m/", "/docs/", "/v1/account/"].map((path) => pathField(own, path)),
    ...formFields(own),
  ];
}

const json = { "content-type": "application/json" };

function repeated([before, unit, after]: Shape, bytes: number): NonNullable<Sent["body"]> {
  return [before, { repeat: unit, bytes: bytes - before.length - after.length }, after];
}

function inText([before, unit, after]: Shape, written: (text: string) => string, bytes: number): string {
  const each = written(unit);
  return written(before) + each.repeat(Math.max(1, Math.floor((bytes - 100) / each.length))) + written(after);
}

const encoded = (text: string) => encodeURIComponent(text);
const escaped = (text: string) => JSON.stringify(text).slice(1, -1);

/** A parameter of a query; with an empty name, the name itself. */
function query(own: Record<string, string>, path: string, others: object, name: string): Field {
  const rest = new URLSearchParams(Object.entries(others).filter(([other]) => other !== name)).toString();
  return {
    what: `${name || "names"} in ${path}?`,
    shapes: texts,
    isLarge: false,
    sent: (shape, bytes) => {
      const text = inText(shape, encoded, Math.min(bytes, headMax - 2_000));
      return { method: "GET", path: `${path}?${rest}&${name ? `${name}=${text}` : `${text}=1`}`, headers: own };
    },
  };
}

/** A member of a body, sent as text and as other JSON. */
function members(own: Record<string, string>, path: string, others: object, name: string, method = "POST", isLarge = true): Field[] {
  const rest = Object.entries(others).filter(([other]) => other !== name);
  const start = `${JSON.stringify(Object.fromEntries(rest)).slice(0, -1)}${rest.length > 0 ? "," : ""}${nested(name)}`;
  const end = "}".repeat(name.split(".").length);
  const sent = (method: string, [before, unit, after]: Shape, bytes: number): Sent => ({
    method,
    path,
    headers: { ...own, ...json },
    body: repeated([start + before, unit, after + end], bytes),
  });
  return [
    {
      what: `text ${name} of ${path}`,
      shapes: texts,
      isLarge,
      sent: ([before, unit, after], bytes) => sent(method, [`"${escaped(before)}`, escaped(unit), `${escaped(after)}"`], bytes),
    },
    { what: `${name} of ${path}`, shapes: values, isLarge, sent: (shape, bytes) => sent(method, shape, bytes) },
  ];
}

/** `viewport.width` → `"viewport":{"width":` */
function nested(name: string): string {
  return name
    .split(".")
    .map((part) => `${JSON.stringify(part)}:`)
    .join("{");
}

function operationFields(own: Record<string, string>): Field[] {
  return operations.flatMap((operation) => {
    const { method, path } = operation;
    const names = (schema: Parameters<typeof jsonSchemaOf>[0]) => Object.keys(jsonSchemaOf(schema, "input").properties ?? {});
    const filled = path.replace(/:\w+/g, "00000000-0000-4000-8000-000000000000");
    const body = operation.body.type === "undefined" ? [] : names(operation.body);
    return [
      ...(operation.readsOwnQuery ? [] : names(operation.query).map((name) => query(own, filled, {}, name))),
      ...body.flatMap((name) => members(own, filled, {}, name, method, false)),
      ...(path.includes(":") ? [pathField(own, path.slice(0, path.indexOf(":")), method)] : []),
    ];
  });
}

/** One route for each method and table. */
function routesOf(adapter: Adapter): Map<unknown, AdapterRoute> {
  return new Map(adapter.routes.toReversed().map((route) => [route.table ?? route.method, route]));
}

function adapterFields(adapter: Adapter, route: AdapterRoute, { key, boundKey, session }: Keys): Field[] {
  const own = { ...session, "x-api-key": adapter.isForPages ? boundKey : key };
  const names = Object.keys(tableOf(adapter, route)).map((name) => name.replace("*", "x"));
  const page = { url: "http://127.0.0.1:9/" };
  const path = route.path.replace(":key", "").replace("*", encoded(page.url));
  if (adapter.body) return names.map((name) => formField(own, path, name));
  if (route.method === "POST") return names.flatMap((name) => members(own, path, page, name));
  return [...names.map((name) => query(own, path, page, name)), pathField(own, route.path.replace(":key", "").replace("*", ""))];
}

function toolFields(own: Record<string, string>, { name, input }: { name: string; input: object }): Field[] {
  const accepting = { ...own, accept: "application/json, text/event-stream" };
  const call = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name } };
  const argument = (member: string): Field[] =>
    members(accepting, "/mcp", { jsonrpc: "2.0", id: 1, method: "tools/call" }, `params.arguments.${member}`).map((field) => ({
      ...field,
      what: `${field.what}, ${name}`,
      sent: (shape, bytes) => {
        const sent = field.sent(shape, bytes);
        const [start = "", ...rest] = sent.body ?? [];
        return { ...sent, body: [String(start).replace('"params":{', `"params":{"name":"${name}",`), ...rest] };
      },
    }));
  return [
    ...Object.keys(input).flatMap(argument),
    ...members(accepting, "/mcp", call, "method"),
    ...members(accepting, "/mcp", call, "id"),
  ];
}

function headerField(own: Record<string, string>, name: string, path: string): Field {
  return {
    what: `header ${name} of ${path}`,
    shapes: texts.filter((shape) => shape.every((text) => /^[ -~]*$/.test(text))),
    isLarge: false,
    sent: (shape, bytes) => ({
      method: "GET",
      path,
      headers: { ...own, [name]: inText(shape, (text) => text, Math.min(bytes, headMax - 2_000)).trim() },
    }),
  };
}

function pathField(own: Record<string, string>, path: string, method = "GET"): Field {
  return {
    what: `path ${path}`,
    shapes: texts,
    isLarge: false,
    sent: (shape, bytes) => {
      const asIs = (text: string) => text.replace(/[^!-~]|[#%]/gu, encoded);
      return { method, path: path + inText(shape, asIs, Math.min(bytes, headMax - 2_000)), headers: own };
    },
  };
}

const boundary = "a-boundary";
const form = { "content-type": `multipart/form-data; boundary=${boundary}` };

function formField(own: Record<string, string>, path: string, name: string): Field {
  const part = (field: string) => `--${boundary}\r\nContent-Disposition: form-data; name="${field}"\r\n\r\n`;
  return {
    what: `${name} of ${path}`,
    shapes: texts,
    isLarge: true,
    sent: ([before, unit, after], bytes) => {
      const start = `${name === "url" ? "" : `${part("url")}http://127.0.0.1:9/\r\n`}${part(name)}${before}`;
      return {
        method: "POST",
        path,
        headers: { ...own, ...form },
        body: repeated([start, unit, `${after}\r\n--${boundary}--\r\n`], bytes),
      };
    },
  };
}

/** The fields of each form part, and the text between parts. */
function formFields(own: Record<string, string>): Field[] {
  const path = "/forms/chromium/screenshot/url";
  const places: [string, string, string][] = [
    ["a part's name", `--${boundary}\r\nContent-Disposition: form-data; name="`, '"\r\n\r\nx'],
    ["a file's name", `--${boundary}\r\nContent-Disposition: form-data; name="files"; filename="`, '"\r\n\r\nx'],
    ["a part's parameters", `--${boundary}\r\nContent-Disposition: form-data; `, "\r\n\r\nx"],
    [
      "a part's type",
      `--${boundary}\r\nContent-Disposition: form-data; name="files"; filename="index.html"\r\nContent-Type: `,
      "\r\n\r\nx",
    ],
    ["a part's header", `--${boundary}\r\nContent-Disposition: form-data; name="url"\r\nX: `, "\r\n\r\nx"],
    ["a part's headers", `--${boundary}\r\nContent-Disposition: form-data; name="url"\r\n`, "\r\n\r\nx"],
    ["before the first part", "", `\r\n--${boundary}\r\nContent-Disposition: form-data; name="url"\r\n\r\nx`],
  ];
  const inForms = ["\r\n", "X: y\r\n", `--${boundary}\r\n`, '"; name="', "; a=b", "\r\n--", "--", '\\"'];
  const shapes = [...texts, ...inForms.map((unit): Shape => ["", unit, ""])];
  return places.map(([what, start, end]) => ({
    what,
    shapes,
    isLarge: true,
    sent: ([before, unit, after], bytes) => ({
      method: "POST",
      path,
      headers: { ...own, ...form },
      body: repeated([start + before, unit, `${after}${end}\r\n--${boundary}--\r\n`], bytes),
    }),
  }));
}
