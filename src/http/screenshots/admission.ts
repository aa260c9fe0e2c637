/** Admits screenshot requests by key, embedding page, signature and rate limit, and counts their usage. */

import { pipeline, Readable, Transform } from "node:stream";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Keys } from "../../accounts/keys/authenticate.ts";
import type { ApiKey, Caller } from "../../accounts/keys/caller.ts";
import { assertCallerAllowed } from "../../accounts/keys/domains.ts";
import type { Signatures } from "../../accounts/keys/signature.ts";
import type { RequestOutcome, Usage } from "../../accounts/usage/counts.ts";
import type { RateLimiter, RateLimitState } from "../../accounts/usage/rate-limit.ts";
import { AppError, failures } from "../../shared/errors.ts";
import { countBodyToAccount } from "../input/body-budget.ts";
import type { JsonBody } from "../input/json-body.ts";
import { queryOf } from "../input/query.ts";
import { setAccount } from "../server/request-account.ts";
import { clientGoneStatus, onRequestEnd } from "../server/requests.ts";

/** Resolves with the result of `lookup`, which may run during the rate limit check and is discarded if the request is refused. */
export type Admit = <T>(request: FastifyRequest, reply: FastifyReply, lookup: (caller: Caller) => Promise<T>) => Promise<T>;

/** Ways of authentication that differ between routes. */
export interface Credentials {
  /** The key in the body, if the route accepts one there. Called only if there is no key elsewhere. */
  keyInBody(request: FastifyRequest): string | undefined;
  /** Suffix for the error message that lists where to send the key; empty if the body isn't one of them. */
  bodyKeyHint: string;
  /** Names of the parameters sent, to detect a key under another name. */
  namesOf(request: FastifyRequest): string[];
  /** @throws {AppError} `signature_invalid`. */
  assertSigned(signatures: Signatures, key: ApiKey, request: FastifyRequest): void;
}

interface KeyParts {
  keys: Keys;
  rateLimiter: RateLimiter;
}

interface AdmissionParts extends KeyParts {
  signatures: Signatures;
  tracker: UsageTracker;
}

/**
 * Sets the rate limit headers on every response, including errors, once the limit has been checked.
 * @throws {AppError} `invalid_parameters` without a key, `invalid_api_key`, `domain_not_allowed`, `signature_invalid`, `rate_limited`,
 *   `unavailable`.
 */
export function createAdmission({ keys, signatures, rateLimiter, tracker }: AdmissionParts, credentials = inQuery): Admit {
  return async (request, reply, lookup) => {
    const known = await authenticateHead({ keys, rateLimiter }, request, reply);
    const inBody = known ? undefined : credentials.keyInBody(request);
    if (!known && !inBody) throw missingKey(request, credentials);
    const key = known ?? (await authenticate({ keys, rateLimiter }, request, inBody ?? ""));
    tracker.attribute(request, key);
    if (inBody) countBodyToAccount(request, key.userId);
    assertCallerAllowed(key, request.headers);
    credentials.assertSigned(signatures, key, request);
    return await counted(request, reply, rateLimiter.consume({ id: key.id, limit: key.rateLimit }), () => lookup(key));
  };
}

/**
 * Refuses requests to `app` with an invalid key in the query or a header before the body is received.
 * @param keyOf reads a key from elsewhere in the request's head.
 */
export function refuseWrongKeys(app: FastifyInstance, parts: KeyParts, keyOf: Credentials["keyInBody"] = () => undefined): void {
  app.addHook("onRequest", async (request, reply) => {
    const text = keyOf(request);
    const key = (await authenticateHead(parts, request, reply)) ?? (text ? await authenticate(parts, request, text) : undefined);
    if (key) countBodyToAccount(request, key.userId);
  });
}

/** The key in the query or a header; undefined if there is none. */
async function authenticateHead(parts: KeyParts, request: FastifyRequest, reply: FastifyReply): Promise<ApiKey | undefined> {
  const [text, ...others] = keysOf(request);
  if (keysInHeaders(request).length > 0) reply.header("vary", "Authorization, X-API-Key");
  if (others.length > 0) throw differentKeys();
  return text === undefined ? undefined : await authenticate(parts, request, text);
}

async function authenticate({ keys, rateLimiter }: KeyParts, request: FastifyRequest, text: string): Promise<ApiKey> {
  return await keys.authenticate(text).catch((error) => refuseUnknown(error, request, rateLimiter));
}

const inQuery: Credentials = {
  bodyKeyHint: "",
  keyInBody: () => undefined,
  namesOf: (request) => queryOf(request).pairs.map(({ name }) => name),
  assertSigned: (signatures, key, request) => signatures.assertSigned(key, queryOf(request).pairs),
};

/** The distinct keys in the query and headers of a request, without empty ones. */
export function keysOf(request: FastifyRequest): string[] {
  const inQuery = queryOf(request).pairs.flatMap(({ name, value }) => (name === "api_key" && value()) || []);
  return [...new Set([...inQuery, ...keysInHeaders(request)])];
}

export function keysInHeaders({ headers }: FastifyRequest): string[] {
  const { authorization, "x-api-key": own } = headers;
  if (authorization === undefined && own === undefined) return [];
  const bearer = /^bearer (.*)$/i.exec(authorization ?? "")?.[1] ?? "";
  // Node joins repeated headers with commas, which no key contains.
  return `${bearer},${own ?? ""}`.split(",").flatMap((text) => text.trim() || []);
}

export function differentKeys(): AppError {
  const message = "api_key is sent more than once, with different values";
  return new AppError("invalid_parameters", { details: [{ parameter: "api_key", message, allowed: "one API key" }] });
}

/** Names that other services use for the key, in lower case and without separators. */
const otherKeyNames = ["apikey", "key", "accesskey", "token", "apitoken"];

/** The message also names the parameter or header in which the key seems to have been sent by mistake. */
function missingKey(request: FastifyRequest, { namesOf, bodyKeyHint }: Credentials): AppError {
  const { headers } = request;
  const name = namesOf(request).find((sent) => sent !== "api_key" && otherKeyNames.includes(sent.toLowerCase().replaceAll(/[-_]/g, "")));
  const instead = name ? `, not ${name}` : "";
  const scheme = headers.authorization && !name ? "; the Authorization header must be Bearer followed by the key" : "";
  const places = `in the query parameter api_key${instead}, or in a header, Authorization: Bearer or X-API-Key${bodyKeyHint}`;
  const message = `api_key is missing: send the key ${places}${scheme}`;
  const allowed = "the API key, in the query string or in a header";
  return new AppError("invalid_parameters", { details: [{ parameter: "api_key", message, allowed }] });
}

/** Queries and bodies up to this length are parsed while the rate limit is checked; parsing longer ones could cost more than a 429. */
const shortLength = 2_048;

/** Sets the rate limit headers, also on a 429. @throws {AppError} `rate_limited`, and whatever `lookup` throws. */
export async function counted<T>(
  request: FastifyRequest,
  reply: FastifyReply,
  counting: Promise<RateLimitState>,
  lookup: () => Promise<T>,
): Promise<T> {
  const isShort = queryOf(request).text.length + ((request.body as Partial<JsonBody> | undefined)?.byteLength ?? 0) <= shortLength;
  const early = isShort ? lookup() : undefined;
  early?.catch(() => {}); // awaited below, unless the request is refused
  const limit = await counting;
  reply.header("x-ratelimit-limit", limit.limit);
  reply.header("x-ratelimit-remaining", limit.remaining);
  reply.header("x-ratelimit-reset", limit.resetAtSeconds);
  assertWithin(limit);
  return await (early ?? lookup());
}

/** Attempts with unknown keys are limited by IP address. */
async function refuseUnknown(error: unknown, request: FastifyRequest, rateLimiter: RateLimiter): Promise<never> {
  if (error instanceof AppError && error.code === "invalid_api_key") assertWithin(await rateLimiter.consumeAddress(request.ip));
  throw error;
}

function assertWithin({ allowed, limit, retryAfterSeconds }: RateLimitState): void {
  if (allowed) return;
  throw new AppError("rate_limited", {
    message: `Rate limit of ${limit} requests exceeded; try again in ${retryAfterSeconds} s.`,
    retryAfterSeconds,
  });
}

export interface UsageTracker {
  /** Counts `request` towards the usage of `caller`. Requests that are never attributed are not counted. */
  attribute(request: FastifyRequest, caller: Pick<Caller, "id" | "userId">): void;
}

/** Tracks the routes of `app`. */
export function createUsageTracker(app: FastifyInstance, usage: Usage): UsageTracker {
  const callers = new WeakMap<FastifyRequest, Pick<Caller, "id" | "userId">>();
  const errors = new WeakMap<FastifyRequest, Error>();
  const zipBytes = new WeakMap<FastifyRequest, number>();
  app.addHook("onSend", (request, reply, payload, done) => {
    if (!(payload instanceof Readable) || reply.getHeader("content-type") !== "application/zip") return done(null, payload);
    const counted = new Transform({
      transform(chunk: Buffer, _encoding, next) {
        zipBytes.set(request, (zipBytes.get(request) ?? 0) + chunk.length);
        next(null, chunk);
      },
    });
    done(
      null,
      pipeline(payload, counted, () => {}),
    ); // Fastify handles its errors
  });
  app.addHook("onError", (request, _reply, error, done) => {
    errors.set(request, error);
    done();
  });
  onRequestEnd(app, (request, reply, status) => {
    const caller = callers.get(request);
    if (!caller) return;
    const outcome = outcomeOf(reply, errors.get(request), status);
    const bytes = request.method === "HEAD" || status !== 200 ? 0 : (zipBytes.get(request) ?? (outcome ? bytesOf(reply) : 0));
    usage.record(caller, outcome, bytes);
  });
  const attribute: UsageTracker["attribute"] = (request, caller) => {
    callers.set(request, caller);
    setAccount(request, caller.userId);
  };
  return { attribute };
}

/** Errors of the request itself. Together with 403 and 429 they count as rejected; any other failure happened during the capture. */
const refusals = new Set(["invalid_parameters", "invalid_url"]);

/** Undefined for a response without a screenshot, as with `dry_run`. */
function outcomeOf(reply: FastifyReply, error: Error | undefined, status: number): RequestOutcome | undefined {
  if (error instanceof AppError)
    return refusals.has(error.code) || [403, 429].includes(failures[error.code].status) ? "rejected" : "failed";
  if (error) return "failed";
  const cache = reply.getHeader("x-cache");
  if (cache === undefined) return status === clientGoneStatus ? "failed" : undefined;
  return cache === "MISS" ? "captured" : "cached";
}

function bytesOf(reply: FastifyReply): number {
  const bytes = Number(reply.getHeader("content-length"));
  return Number.isSafeInteger(bytes) ? bytes : 0;
}
