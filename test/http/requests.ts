/** Generates requests: parameters by schema, valid and invalid, in every notation, and bytes that are barely HTTP. */

import fc from "fast-check";
import type { z } from "zod";

type Schema = z.core.JSONSchema.BaseSchema;

export interface GeneratedRequest {
  method: string;
  target: string;
  headers: [name: string, value: string][];
  body: string;
}

/**
 * Text that has caused failures elsewhere: other alphabets, control characters, lone surrogates, code, escapes, numbers that aren't
 * numbers.
 */
const oddText = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 40 }),
  fc.string({ unit: "binary", maxLength: 40 }),
  fc.constantFrom(
    ..."\0|a\0b|\u202e|\ufeff|\u{1f600}|%|%00|%c0%af|%ed%a0%80|'|\"|`|<svg/onload=1>|{{1}}|../../etc/passwd|\r\nX-Injected: 1".split("|"),
    ..."NaN|Infinity|-0|1e999|0x10|1_000|٣|null|undefined|[object Object]|__proto__|constructor|toString|[|{|[]|{}|[[]]".split("|"),
    ...['["\\ud800"]', '{"a":"\\u0000"}', '["a","b"]', '{"a":{"b":1}}', "a,b,,c", "a\nb\r\nc"],
  ),
  fc.integer({ min: 1, max: 3_000 }).map((length) => "x".repeat(length)),
  fc.json({ maxDepth: 2 }),
);

/** Percent-encoded by a client, correctly or not quite. */
function encoded(text: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return fc.oneof(
    { weight: 6, arbitrary: text.map((value) => encodeURIComponent(value.toWellFormed())) },
    { weight: 1, arbitrary: text.map((value) => escape(value)) }, // Latin-1, and %uXXXX
    {
      weight: 1,
      arbitrary: fc
        .string({ unit: fc.constantFrom(..."%%%0aAfF8cCeE+&=;[]#?/.~!*") as fc.Arbitrary<string>, maxLength: 30 })
        .map((value) => value.replaceAll("#", "%")),
    },
  );
}

function rightValue(schema: Schema): fc.Arbitrary<string> {
  if (schema.enum) return fc.constantFrom(...(schema.enum as string[]));
  if (schema.type === "boolean") return fc.constantFrom(..."true|false|1|0|yes|no|on|off|TRUE|Off".split("|"));
  const { minimum = 0, maximum = 1_000 } = schema;
  if (schema.type === "integer") return fc.integer({ min: minimum, max: maximum }).map(String);
  if (schema.type === "number") return fc.double({ min: minimum, max: maximum, noNaN: true }).map(String);
  if (schema.type === "array")
    return fc
      .array(rightValue(schema.items as Schema), { minLength: 1, maxLength: 3 })
      .chain((items) => fc.constantFrom(items.join(","), items.join("\n"), JSON.stringify(items)));
  return fc.oneof(fc.constantFrom("a", "#main", "Accept-Language: de", "session=1; Path=/", "text"), oddText);
}

const wrongNumbers = fc.oneof(fc.integer(), fc.double(), fc.bigInt()).map(String);

function pair(name: string, value: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const spelled = fc.constantFrom(...Array<string>(9).fill(name), `${name}[]`, name.toUpperCase(), `${name}[0]`);
  return fc.tuple(spelled, encoded(value)).map(([key, text]) => `${key}=${text}`);
}

/** Query parameters, each valid, invalid, repeated or absent; and some that don't exist. */
export function queryOf(schemas: Record<string, Schema>, urls: string[]): fc.Arbitrary<string[]> {
  const known = Object.entries(schemas)
    .filter(([name]) => name !== "url")
    .map(([name, schema]) =>
      pair(
        name,
        fc.oneof({ weight: 10, arbitrary: rightValue(schema) }, { weight: 1, arbitrary: oddText }, { weight: 1, arbitrary: wrongNumbers }),
      ),
    );
  const unknown = fc.tuple(encoded(oddText), encoded(oddText)).map((parts) => parts.join("="));
  const url = pair(
    "url",
    fc.oneof({ weight: 6, arbitrary: fc.constantFrom(...urls) }, { weight: 1, arbitrary: oddText }, { weight: 1, arbitrary: fc.webUrl() }),
  );
  const some = fc.array(fc.oneof({ weight: 12, arbitrary: fc.oneof(...known) }, { weight: 1, arbitrary: unknown }), { maxLength: 6 });
  return fc
    .tuple(fc.oneof({ weight: 8, arbitrary: url.map((one) => [one]) }, { weight: 1, arbitrary: fc.array(url, { maxLength: 3 }) }), some)
    .map((parts) => parts.flat());
}

/** Options that real captures can have: in range, quick, and unusual in at most two places. */
export function quickOptions(schemas: Record<string, Schema>): fc.Arbitrary<Record<string, string>> {
  const left = [
    "url",
    "delay",
    "timeout",
    "wait_until_timeout",
    "wait_for_selector",
    "width",
    "height",
    "device_scale_factor",
    "dry_run",
    "expires",
  ];
  const plain = Object.entries(schemas).filter(
    ([name, { type, enum: words }]) =>
      !left.includes(name) && !name.startsWith("clip_") && (words !== undefined || type !== "string") && type !== "array",
  );
  const small = fc.integer({ min: 1, max: 200 }).map(String);
  const usual = fc.record(
    {
      ...Object.fromEntries(plain.map(([name, schema]) => [name, rightValue(schema)])),
      width: small,
      height: small,
      timeout: fc.constant("10"),
    },
    { requiredKeys: ["width", "height", "timeout"] },
  );
  const odd = fc.oneof(
    ...["selector", "user_agent", "cache_key"].map((name) => oddText.map((text) => ({ [name]: text }))),
    oddText.map((text) => ({ headers: `X-Odd: ${text}` })),
    oddText.map((text) => ({ cookies: `odd=${text}` })),
    oddText.map((text) => ({ headers: JSON.stringify([`X-Odd: ${text}`]) })),
  );
  return fc.tuple(usual, fc.array(odd, { maxLength: 2 })).map((parts) => Object.assign({}, ...parts.flat()));
}

const token = fc.constantFrom(
  "origin",
  "referer",
  "if-none-match",
  "range",
  "accept",
  "accept-encoding",
  "cookie",
  "content-type",
  "x-forwarded-for",
  "x-forwarded-host",
  "authorization",
  "access-control-request-method",
  "access-control-request-headers",
  "accept-version",
  "expect",
  "upgrade",
  "x-odd",
);
const headerValue = fc.oneof(
  fc.constantFrom(
    "*",
    "null",
    "https://example.com",
    "https://example.com/a?b",
    "GET",
    '"a", W/"b"',
    "bytes=0-1",
    "text/plain",
    "application/json",
    "h2c",
    "100-continue",
    "200-ok",
    "::1",
    "127.0.0.1, 10.0.0.1",
  ),
  fc.string({
    unit: fc
      .integer({ min: 0x20, max: 0xff })
      .filter((code) => code < 0x7f || code > 0x9f)
      .map((code) => String.fromCharCode(code)),
    maxLength: 60,
  }),
);
const oddHeaders: fc.Arbitrary<GeneratedRequest["headers"]> = fc.array(fc.tuple(token, headerValue), { maxLength: 4 });

/** Request targets other than the take operation. */
const otherTargets = fc.oneof(
  fc.constantFrom(
    "/",
    "/health/live",
    "/openapi.json",
    "/docs/",
    "/docs/static/index.html",
    "//",
    "/v1",
    "/v1/screenshots",
    "/v1/screenshots/",
    "/v1/screenshots/take/",
    "/V1/screenshots/take",
    "/v1/screenshots/take/../take",
    "/%",
    "/%zz",
    "/%00",
    "/docs/static/%00",
    "/docs/static/..%2f..%2fpackage.json",
    "/.env",
  ),
  fc.tuple(fc.constantFrom("/v1/screenshots/", "/", "/docs/static/", "/health/"), encoded(oddText)).map((parts) => parts.join("")),
  fc
    .tuple(fc.uuid(), fc.constantFrom("png", "jpg", "gif"), encoded(oddText), encoded(oddText))
    .map(([id, extension, expires, signature]) => `/v1/screenshots/${id}.${extension}?expires=${expires}&signature=${signature}`),
);

/** Well-formed HTTP with arbitrary content. */
export function requestOf(queries: fc.Arbitrary<string[]>, keys: string[]): fc.Arbitrary<GeneratedRequest> {
  const key = fc.oneof(
    { weight: 8, arbitrary: fc.constantFrom(...keys).map((text) => [`api_key=${text}`]) },
    {
      weight: 1,
      arbitrary: fc.array(
        encoded(oddText).map((text) => `api_key=${text}`),
        { maxLength: 2 },
      ),
    },
  );
  const take = fc.tuple(key, queries).map((parts) => `/v1/screenshots/take?${parts.flat().join("&")}`);
  return fc.record({
    method: fc.oneof(
      { weight: 12, arbitrary: fc.constant("GET") },
      { weight: 1, arbitrary: fc.constantFrom("HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND", "QUERY") },
    ),
    target: fc.oneof({ weight: 6, arbitrary: take }, { weight: 1, arbitrary: otherTargets }),
    headers: fc.oneof({ weight: 3, arbitrary: fc.constant<GeneratedRequest["headers"]>([]) }, { weight: 1, arbitrary: oddHeaders }),
    body: fc.oneof(
      { weight: 9, arbitrary: fc.constant("") },
      { weight: 1, arbitrary: fc.constantFrom("{}", "a=1", "\0\0", "x".repeat(1_000)) },
    ),
  });
}

export function requestText({ method, target, headers, body }: GeneratedRequest, connection: "close" | "keep-alive"): string {
  const length = body === "" ? [] : [["content-length", String(body.length)]];
  const lines = [["host", "127.0.0.1"], ["connection", connection], ...length, ...headers].map(([name, value]) => `${name}: ${value}`);
  return `${method} ${target} HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n${body}`;
}

/** Bytes that aren't HTTP, or barely. */
export function rawBytes(requests: fc.Arbitrary<GeneratedRequest>): fc.Arbitrary<Uint8Array[]> {
  // A response to HEAD ends where its body would begin, which only the client can know.
  const readable = requests.filter(({ method }) => method !== "HEAD");
  const whole = readable.map((request) => Buffer.from(requestText(request, "close"), "latin1"));
  const spoiled = fc
    .tuple(whole, fc.array(fc.tuple(fc.nat(), fc.nat({ max: 255 })), { minLength: 1, maxLength: 5 }))
    .map(([bytes, changes]) => {
      for (const [at, value] of changes) bytes[at % bytes.length] = value;
      return bytes;
    });
  const cut = fc.tuple(whole, fc.nat()).map(([bytes, at]) => bytes.subarray(0, at % bytes.length));
  const framed = fc
    .tuple(fc.constantFrom(...framings), fc.string({ unit: "binary-ascii", maxLength: 50 }))
    .map(([head, body]) => Buffer.from(head + body, "latin1"));
  const bytes = fc.oneof(
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 300 }) },
    { weight: 4, arbitrary: spoiled },
    { weight: 1, arbitrary: cut },
    { weight: 2, arbitrary: framed },
  );
  // In one piece, or in several, as over a slow network.
  return fc.tuple(bytes, fc.array(fc.nat(), { maxLength: 3 })).map(([all, cuts]) => {
    const places = [0, ...cuts.map((at) => at % (all.length + 1)).sort((a, b) => a - b), all.length];
    return places.slice(1).map((end, index) => all.subarray(places[index], end));
  });
}

const start = "POST /v1/screenshots/take HTTP/1.1\r\nHost: a\r\n";
const framings = [
  `${start}Transfer-Encoding: chunked\r\n\r\n`,
  `${start}Transfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\n`,
  `${start}Transfer-Encoding: chunked\r\n\r\n5;a=b\r\nhello\r\n0\r\nX: y\r\n\r\n`,
  `${start}Transfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n0\r\n\r\n`,
  `${start}Transfer-Encoding: gzip, chunked, identity\r\n\r\n`,
  `${start}Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello`,
  `${start}Content-Length: -1\r\n\r\n`,
  `${start}Content-Length: 99999999999999999999\r\n\r\n`,
  `${start}Content-Length: 1000000000\r\nContent-Type: application/json\r\n\r\n`,
  `${start}Content-Type: application/json\r\nContent-Length: 20\r\n\r\n`,
  `${start} folded\r\nX: a\r\n b\r\n\r\n`,
  `${start}X : a\r\n\r\n`,
  `${start}: a\r\n\r\n`,
  `${start}Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: a\r\n\r\n`,
  `${start}Upgrade: h2c\r\nConnection: Upgrade, HTTP2-Settings\r\n\r\n`,
  "GET /\r\n",
  "GET / HTTP/0.9\r\n\r\n",
  "GET / HTTP/2.0\r\n\r\n",
  "GET / HTTP/1.1\n\n",
  "get / http/1.1\r\n\r\n",
  "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
  "CONNECT example.com:443 HTTP/1.1\r\nHost: example.com\r\n\r\n",
  "GET /\0 HTTP/1.1\r\nHost: a\r\n\r\n",
  "GET / HTTP/1.1\r\nHost: a\r\nX: \0\r\n\r\n",
  "GET /\xc0\xaf\xed\xa0\x80 HTTP/1.1\r\nHost: a\r\n\r\n",
  "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
];
