/** Checks request targets (RFC 9112, 3.2) and `Host`, splits targets into path and query, and refuses unknown paths and methods. */

import type { IncomingMessage } from "node:http";
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { LRUCache } from "lru-cache";
import { AppError } from "../../shared/errors.ts";

/** Host and port; a user name is not allowed (RFC 9110, 4.2.4). */
const authority = /(?:[\w.~-]+|\[[\da-f:.]+\])(?::\d{0,5})?/;
const absoluteStart = new RegExp(`^https?://(${authority.source})(?=[/?]|$)`, "i");
const validHost = new RegExp(`^(?:${authority.source})?$`, "i");
/** The router rejects this path before it looks for a route. */
const unroutable = "/%";

/**
 * For Fastify's `rewriteUrl`, which runs before routing. Everything after it sees a path and an optional query, split at the first `?`:
 * Fastify's router would also split at a `#`, and accept a scheme and host before the path.
 */
export function rewriteTarget({ url: target = "", headers }: IncomingMessage): string {
  if (problemOf(target) !== undefined) return unroutable;
  if (target.startsWith("/")) return target;
  const [start = "", host] = absoluteStart.exec(target) ?? [];
  if (host === undefined) return target;
  if (headers.host !== undefined) headers.host = host; // RFC 9112, 3.2.2
  const rest = target.slice(start.length);
  return rest.startsWith("/") ? rest : `/${rest}`;
}

/** For Fastify's `frameworkErrors`. Drops Fastify's own message: it quotes the target, which may contain a key, and would be logged. */
export function targetFailure(error: FastifyError, request: FastifyRequest): AppError {
  if (error.statusCode === 414) return new AppError("uri_too_long");
  const message = problemOf(request.originalUrl) ?? "The path of the request target is not percent-encoded UTF-8.";
  return new AppError("invalid_parameters", { message });
}

function problemOf(target: string): string | undefined {
  if (target.includes("#")) return 'The request target contains a "#": write it as %23 if it is part of a value.';
  if (target.startsWith("/") || absoluteStart.test(target)) return undefined;
  return "The request target must be a path, such as /v1/screenshots/take.";
}

/** Refuses requests with an unusable `Host`, an unknown path or a wrong method. Must be called before the routes are added. */
export function checkTargets(app: FastifyInstance): void {
  const methodsOf = followRoutes(app);
  const notFound = (request: FastifyRequest, reply: FastifyReply) => {
    const methods = methodsOf(pathOf(request));
    if (methods.length === 0 || methods.includes(request.method))
      return new AppError("not_found", { message: "Not found; the API is documented at /docs." });
    reply.header("allow", methods.join(", ")); // RFC 9110, 15.5.6
    return new AppError("method_not_allowed", { message: `Method not allowed for this path; allowed: ${methods.join(", ")}.` });
  };
  app.addHook("onRequest", (request, reply, done) => {
    const problem = hostProblem(request.raw); // Node rejects some of these, but without a message
    if (problem !== undefined) done(new AppError("invalid_parameters", { message: problem }));
    else done(request.is404 ? notFound(request, reply) : undefined); // before the body is read
  });
  app.setNotFoundHandler((request, reply) => {
    throw notFound(request, reply);
  });
}

/** Returns a lookup of the methods allowed for a path. Fastify's own lookup takes route patterns, not request paths. */
function followRoutes(app: FastifyInstance): (path: string) => string[] {
  const routes: { methods: string[]; pattern: RegExp }[] = [];
  app.addHook("onRoute", ({ method, url }) => {
    const parts = url.split("/").map((part) => (part === "*" ? ".*" : part.startsWith(":") ? "[^/]+" : part.replaceAll(".", "\\.")));
    routes.push({ methods: [method].flat().filter((name) => name !== "OPTIONS"), pattern: new RegExp(`^${parts.join("/")}/?$`) });
  });
  return (path) => [...new Set(routes.flatMap(({ methods, pattern }) => (pattern.test(path) ? methods : [])))];
}

/** Why the `Host` of a request is refused; undefined if it is valid. */
function hostProblem({ httpVersion, headers, rawHeaders }: IncomingMessage): string | undefined {
  const { host } = headers;
  if (host === undefined) return httpVersion === "1.1" ? "The request has no Host header." : undefined;
  if (!validHost.test(host)) return "The request's Host header is not a valid host with an optional port.";
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2)
    if (rawHeaders[index]?.length === 4 && rawHeaders[index]?.toLowerCase() === "host") hosts += 1;
  return hosts < 2 ? undefined : "The request has more than one Host header.";
}

/** The path as sent. */
function pathOf({ url }: Pick<FastifyRequest, "url">): string {
  const end = url.indexOf("?");
  return end === -1 ? url : url.slice(0, end);
}

/**
 * The path up to its first unusual character: if the `?` is missing or encoded, the path may contain a key. A long path is cut between
 * segments, so that no part of a key remains. Words that look like keys are replaced by `…`.
 * @param route the route's path pattern.
 */
export function loggedPathOf(request: Pick<FastifyRequest, "url">, route?: string): string {
  const path = pathOf(request);
  if (path === route) return path; // has no variable part
  const start = path.slice(0, loggedPathMax);
  const unusual = start.search(/[^\w./~-]/);
  const end = unusual === -1 && path !== start ? start.lastIndexOf("/") + 1 : unusual;
  const logged = (end === -1 ? start : start.slice(0, end)).replace(/\w+/g, (word) => (keyLike.test(word) ? "…" : word));
  return end === -1 ? logged : `${logged}…`;
}

/** Maximum length in characters; only paths that contain a URL are longer. */
const loggedPathMax = 500;

/** The end of an API key, which a caller may put into the path by mistake. */
const keyLike = /_[A-Za-z0-9]{30}/;

/** Decoded values by name; `name[]` and `name[0]` are treated as `name`. */
export type RawQuery = Record<string, string[]>;

/** A lazily parsed query string. Every access except to `text` throws an `AppError` if there are more than 200 parameters. */
export type Query = {
  /** As sent, without the question mark. */
  readonly text: string;
  readonly pairs: readonly QueryPair[];
  readonly parameters: RawQuery;
  /** Distinct non-empty values of `api_key`. */
  readonly keys: readonly string[];
};

/** One `name=value` pair of a query. */
export interface QueryPair {
  /** As sent. */
  readonly text: string;
  /** Decoded, with `name[]` and `name[0]` reduced to `name`. */
  readonly name: string;
  /** Decodes the value. */
  value(): string;
}

const parametersMax = 200;
const rememberedBytesMax = 4 * 1024 * 1024;
/** Maximum length of a cached query in characters; longer queries are rare. */
const textLengthMax = 4 * 1024;

/** For Fastify's `querystringParser`. Results are frozen, since requests with the same query share them. */
export function createQueryParser(): (text: string) => Query {
  const remembered = new LRUCache<string, Query>({
    maxSize: rememberedBytesMax,
    sizeCalculation: (_query, text) => 512 + 4 * text.length + 256 * partsOf(text).length,
  });
  return (text) => {
    const before = remembered.get(text);
    if (before) return before;
    const query = createQuery(text);
    if (text.length <= textLengthMax) remembered.set(text, query);
    return query;
  };
}

export function createQuery(text: string): Query {
  let pairs: readonly QueryPair[] | undefined;
  let parameters: RawQuery | undefined;
  let keys: readonly string[] | undefined;
  return Object.freeze({
    text,
    get pairs() {
      pairs ??= readPairs(text);
      return pairs;
    },
    get parameters() {
      parameters ??= parametersOf(this.pairs);
      return parameters;
    },
    get keys() {
      keys ??= keysIn(this.pairs);
      return keys;
    },
  });
}

const keysIn = (all: readonly QueryPair[]) =>
  Object.freeze([...new Set(all.flatMap((one) => (one.name === "api_key" && one.value()) || []))]);

/** The query of a routed request. */
export const queryOf = (request: FastifyRequest): Query => request.query as Query;

/** Splits a query into parts, at most one more than allowed; the rest is not parsed. */
function partsOf(text: string): string[] {
  return text.split("&", parametersMax + 1);
}

function readPairs(text: string): readonly QueryPair[] {
  const parts = partsOf(text);
  if (parts.length <= parametersMax) return Object.freeze(parts.map(readPair));
  throw new AppError("invalid_parameters", { message: `The query has more than ${parametersMax} parameters.` });
}

function readPair(text: string): QueryPair {
  const equals = text.indexOf("=");
  const end = equals === -1 ? text.length : equals;
  const sent = decode(text.slice(0, end));
  const value = () => decode(text.slice(end + 1));
  const [, name, index = ""] = (sent.endsWith("]") && /^([^[\]]+)\[([^[\]]*)\]$/.exec(sent)) || [];
  if (name === undefined) return { text, name: sent, value };
  // `headers[Accept]=…` is PHP's notation for an object.
  return { text, name, value: /^\d*$/.test(index) ? value : () => JSON.stringify({ [index]: value() }) };
}

/** Form decoding as in the URL standard; skipped for the many parts that don't need it, because it is slow. */
function decode(text: string): string {
  return /[%+]/.test(text) ? (new URLSearchParams(`=${text}`).get("") ?? "") : text.toWellFormed();
}

export function parametersOf(pairs: readonly QueryPair[]): RawQuery {
  const parameters: RawQuery = Object.create(null); // `__proto__` is an ordinary parameter name
  for (const { text, name, value } of pairs) {
    if (text === "") continue;
    parameters[name] ??= [];
    parameters[name].push(value());
  }
  for (const values of Object.values(parameters)) Object.freeze(values);
  return Object.freeze(parameters);
}
