/** Generates request targets for the take endpoint and parses them according to the standards, without using the service's code. */

import fc from "fast-check";

export interface GeneratedTarget {
  start: string;
  path: string;
  before: string[];
  after: string[];
  /** Where in the target a `#` is inserted, in thousandths of its length; null if nowhere. */
  fragment: number | null;
  /** `wrong` is the signature of something else. */
  signature: "none" | "right" | "wrong";
}

interface Addresses {
  /** Path of the endpoint. */
  take: string;
  good: string;
  evil: string;
  /** A query with `good`, as other requests send it. */
  plain: string;
}

export function generatedTarget({ take, good, evil, plain }: Addresses): fc.Arbitrary<GeneratedTarget> {
  const start = fc.oneof(
    { weight: 12, arbitrary: fc.constant("") },
    { weight: 1, arbitrary: fc.constantFrom("http://a", "HTTPS://a.example:80", "http://[::1]:3000", "http://a?x=", "//a") },
  );
  const path = fc.oneof(
    { weight: 8, arbitrary: fc.constant(take) },
    { weight: 1, arbitrary: fc.constantFrom(`${take}/`, take.replace("a", "%61"), take.replace("t", "%74"), `/http:/${take}`) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(..."; ;x ? \\ % %zz %3F %3fx %23 %00 %25 // /.. /./ & = : @ ?? ?/".split(" ")).map((end) => take + end),
    },
    { weight: 1, arbitrary: fc.constantFrom(`/${take}`, "/", "//", "/v1/../v1/screenshots/take", take.toUpperCase()) },
  );
  const odd = fc.string({ unit: fc.constantFrom(...Array.from("??&&==;/\\%:@[]+,.*'\"<>|{}^`$!~-_aurl059")), maxLength: 12 });
  const names = [
    "url",
    "url[]",
    "url[0]",
    "%75rl",
    "url%5B%5D",
    "ur%6C",
    "URL",
    "?url",
    "x=?url",
    "x;url",
    ";url",
    "x%26url",
    "+url",
    "url%00",
  ];
  const part = fc.oneof(
    { weight: 3, arbitrary: odd },
    {
      weight: 2,
      arbitrary: fc
        .tuple(fc.constantFrom(...names), fc.constantFrom(good, evil))
        .map(([name, value]) => `${name}=${encodeURIComponent(value)}`),
    },
    { weight: 1, arbitrary: fc.constantFrom(`x=?${plain}`, `?${plain}`, "", "=", "width", "x=%23%3F", `url=${evil}`, `url=${evil}?a=b`) },
  );
  return fc.record<GeneratedTarget>({
    start,
    path,
    before: fc.array(part, { maxLength: 2 }),
    after: fc.array(part, { maxLength: 2 }),
    fragment: fc.oneof({ weight: 3, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: fc.nat({ max: 999 }) }),
    signature: fc.constantFrom("none", "right", "wrong"),
  });
}

/** The target with `key` and the query `plain` in it; `sign` signs a query. */
export function targetText(generated: GeneratedTarget, key: string, plain: string, sign: (query: string) => string): string {
  const { start, path, before, after, fragment, signature } = generated;
  const whole = `${start}${path}?${[...before, `api_key=${key}`, plain, ...after].join("&")}`;
  const at = start.length + 1 + Math.floor(((fragment ?? 0) / 1000) * (whole.length - start.length));
  const unsigned = fragment === null ? whole : `${whole.slice(0, at)}#${whole.slice(at)}`;
  if (signature === "none") return unsigned;
  const { query } = readingOf(unsigned);
  return `${unsigned}&signature=${sign(signature === "right" ? query : `${query}&`)}`;
}

export function hasFragment(target: string): boolean {
  return target.includes("#");
}

interface Reading {
  path: string;
  query: string;
  isTake: boolean;
  hasKey: boolean;
  /** The distinct values of the `url` parameter. */
  urls: string[];
}

/** According to RFC 9112, 3.2, and form parsing in the URL standard. */
export function readingOf(target: string): Reading {
  const origin = target.replace(/^https?:\/\/[^/?#]*/i, "").replace(/^(?!\/)/, "/");
  const [path = ""] = origin.split("?", 1);
  const query = origin.slice(path.length + 1);
  const parameters = [...new URLSearchParams(`&${query}`)]; // the `&` keeps a leading question mark, which is part of the first name
  const urls = parameters.filter(([name, value]) => /^url(\[\d*\])?$/.test(name) && value.trim() !== "").map(([, value]) => value);
  return { path, query, isTake: isTakePath(path), hasKey: parameters.some(([name]) => name === "api_key"), urls: [...new Set(urls)] };
}

function isTakePath(path: string): boolean {
  try {
    return decodeURI(path).replace(/\/$/, "") === "/v1/screenshots/take";
  } catch {
    return false;
  }
}

/** The part of a path that is logged: a key may follow if somebody forgot or encoded the question mark. */
export function loggedPath(path: string): string {
  const [plain = ""] = /^[\w./~-]*/.exec(path) ?? [];
  return plain === path ? path : `${plain}…`;
}
