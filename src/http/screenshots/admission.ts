/** Admits API requests: by key, embedding page, signature and rate limit. */

import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Keys } from "../../accounts/keys/authenticate.ts";
import type { ApiKey, Caller } from "../../accounts/keys/caller.ts";
import { assertCallerAllowed, type Signatures } from "../../accounts/keys/restrictions.ts";
import type { RateLimiter, RateLimitState } from "../../accounts/usage/rate-limit.ts";
import { AppError, isFailure, wrongParameter } from "../../shared/errors.ts";
import { turnOf } from "../../shared/turns.ts";
import { countBodyToAccount } from "../input/body-budget.ts";
import type { JsonBody } from "../input/json-body.ts";
import { needsTurn } from "../input/read-in-turns.ts";
import { queryOf } from "../input/request-target.ts";
import type { UsageTracker } from "../server/requests.ts";

/** Steps that begin before a request's options are parsed. */
export interface Admission {
  /** Sets `Vary` if the key is in a header. */
  authenticate(request: FastifyRequest, reply: FastifyReply): Promise<Caller>;
  /**
   * Starts counting the request toward the rate limit, and resolves in a turn of the event loop in which the request can be parsed and
   * validated: before the count is known, unless the request is long.
   * @throws {AppError} `rate_limited` if the request is long and over the limit.
   */
  startRateLimit(request: FastifyRequest, reply: FastifyReply, caller: Caller): Promise<RateLimitCheck>;
  /** Both steps, for routes that have nothing else to do while the request is counted. */
  admit: Admit;
}

export type Admit = (request: FastifyRequest, reply: FastifyReply) => Promise<Caller>;

/**
 * A request's rate limit check, counted in the background: `const input = await rateLimit.whileCounting(parse(request));
 * await rateLimit.assertPassed();`. The capture starts only after that.
 */
export interface RateLimitCheck {
  /**
   * For steps without side effects, which need not wait for the count. Settles like `step`, except that a failure first waits for the
   * count, so that a caller over the limit gets the 429. @throws {AppError} `rate_limited`.
   */
  whileCounting<T>(step: Promise<T>): Promise<T>;
  /** Call before the first side effect. Sets the rate limit headers, even on a 429. @throws {AppError} `rate_limited`. */
  assertPassed(): Promise<void>;
}

/** The parts of authentication that differ between routes. */
export interface Credentials {
  /** The key in another place that the route accepts, such as the body. Called only if there is none in `api_key` or a header. */
  keyElsewhere(request: FastifyRequest): string | undefined;
  /** Suffix for the error message that lists where to send the key; empty if the route accepts no other place. */
  elsewhereHint: string;
  /** Names of the parameters sent, to detect a key under another name. */
  namesOf(request: FastifyRequest): string[];
  /** @throws {AppError} `signature_invalid`; `domain_not_allowed` if the interface requires a key restricted to domains. */
  assertSigned(signatures: Signatures, key: ApiKey, request: FastifyRequest): void;
}

interface KeyParts {
  keys: Keys;
  rateLimiter: RateLimiter;
}

export interface AdmissionParts extends KeyParts {
  signatures: Signatures;
  tracker: UsageTracker;
}

/**
 * Admission by API key.
 * @throws {AppError} `invalid_parameters` if the key is missing, or different keys are sent; `invalid_api_key`, `domain_not_allowed`,
 *   `signature_invalid`, `rate_limited`, `unavailable`.
 */
export function createAdmission(parts: AdmissionParts, credentials = inQuery): Admission {
  const authenticate: Admission["authenticate"] = async (request, reply) => {
    const found = await keyInQueryOrHeader(parts, request, reply);
    const text = found ? undefined : credentials.keyElsewhere(request);
    const key = text ? await authenticateKey(parts, request, text) : found;
    if (!key) throw missingKey(request, credentials);
    parts.tracker.attribute(request, key);
    if (text) countBodyToAccount(request, key.userId);
    if (key.allowedDomains.length > 0) assertCallerAllowed(key, request.headers);
    credentials.assertSigned(parts.signatures, key, request);
    return key;
  };
  return admissionBy(authenticate, parts.rateLimiter);
}

/** Adds rate limiting to any authentication method. */
export function admissionBy(authenticate: Admission["authenticate"], rateLimiter: RateLimiter): Admission {
  const count = (reply: FastifyReply, { id, userId, rateLimit }: Caller): Promise<void> => {
    const counted = rateLimiter.consume({ id: id ?? `account:${userId}`, limit: rateLimit }).then((state) => {
      reply
        .header("x-ratelimit-limit", state.limit)
        .header("x-ratelimit-remaining", state.remaining)
        .header("x-ratelimit-reset", state.resetAtSeconds);
      assertWithin(state);
    });
    counted.catch(() => {}); // `assertPassed` throws it
    return counted;
  };
  /** Many requests arrive together, and their counts become known together. */
  const ownTurn = async (request: FastifyRequest, { userId }: Caller) => {
    if (needsTurn(queryOf(request).text.length, lengthOf(request))) await turnOf(userId);
  };
  const startRateLimit: Admission["startRateLimit"] = async (request, reply, caller) => {
    const counted = count(reply, caller);
    if (lengthOf(request) > shortLength) await counted;
    await ownTurn(request, caller);
    const whileCounting: RateLimitCheck["whileCounting"] = async (step) => {
      try {
        return await step;
      } catch (error) {
        await counted;
        await ownTurn(request, caller); // describing the error takes time as well
        throw error;
      }
    };
    return { whileCounting, assertPassed: () => counted };
  };
  const admit: Admit = async (request, reply) => {
    const caller = await authenticate(request, reply);
    await count(reply, caller);
    await ownTurn(request, caller);
    return caller;
  };
  return { authenticate, startRateLimit, admit };
}

/** Requests with a longer query and body are parsed only after the rate limit check: parsing them could cost more than a 429. */
const shortLength = 2_048;

/** Length of the query and the body, which is JSON or bytes. */
function lengthOf(request: FastifyRequest): number {
  return queryOf(request).text.length + ((request.body as Partial<JsonBody | Buffer> | undefined)?.byteLength ?? 0);
}

/**
 * Refuses requests to `app` with an invalid key in the query or a header before the body is received.
 * @param keyOf reads a key from elsewhere in the request's head.
 */
export function refuseWrongKeys(app: FastifyInstance, parts: KeyParts, keyOf: Credentials["keyElsewhere"] = () => undefined): void {
  app.addHook("onRequest", async (request, reply) => {
    const text = keyOf(request);
    const key = (await keyInQueryOrHeader(parts, request, reply)) ?? (text ? await authenticateKey(parts, request, text) : undefined);
    if (key) countBodyToAccount(request, key.userId);
  });
}

const none: readonly string[] = Object.freeze([]);

/** Authenticates the key in the query or a header; undefined if there is none. */
function keyInQueryOrHeader(parts: KeyParts, request: FastifyRequest, reply: FastifyReply): ApiKey | undefined | Promise<ApiKey> {
  const inHeaders = keysInHeaders(request);
  if (inHeaders.length > 0) reply.header("vary", "Authorization, X-API-Key");
  const inQuery = queryOf(request).keys;
  const [text, ...others] = inHeaders.length > 0 ? new Set([...inQuery, ...inHeaders]) : inQuery;
  if (others.length > 0) throw differentKeys();
  return text === undefined ? undefined : (parts.keys.known(text) ?? authenticateKey(parts, request, text));
}

/** Limits attempts with unknown keys by IP address. */
async function authenticateKey({ keys, rateLimiter }: KeyParts, request: FastifyRequest, text: string): Promise<ApiKey> {
  try {
    return await keys.authenticate(text);
  } catch (error) {
    if (isFailure(error, "invalid_api_key")) assertWithin(await rateLimiter.consumeAddress(request.ip));
    throw error;
  }
}

const signedLinkParameters: ReadonlySet<string> = new Set(["signature", "expires"]);

export const inQuery: Credentials = {
  elsewhereHint: "",
  keyElsewhere: () => undefined,
  namesOf: (request) => queryOf(request).pairs.map(({ name }) => name),
  assertSigned: (signatures, key, request) => {
    const { pairs } = queryOf(request);
    if (key.requireSignature || pairs.some(({ name }) => signedLinkParameters.has(name))) signatures.assertSigned(key, pairs);
  },
};

/** Distinct non-empty keys in the query and headers of a request. */
export function keysOf(request: FastifyRequest): string[] {
  return [...new Set([...queryOf(request).keys, ...keysInHeaders(request)])];
}

export function keysInHeaders({ headers }: FastifyRequest): readonly string[] {
  const { authorization, "x-api-key": own } = headers;
  if (authorization === undefined && own === undefined) return none;
  const bearer = /^bearer (.*)$/i.exec(authorization ?? "")?.[1] ?? "";
  // Node joins repeated X-API-Key headers with commas, which no key contains.
  return `${bearer},${own ?? ""}`.split(",").flatMap((text) => text.trim() || []);
}

export function differentKeys(): AppError {
  return wrongParameter("api_key", "is sent more than once, with different values", "one API key");
}

/** Names that other services use for the key, in lower case and without separators. */
const otherKeyNames = ["apikey", "key", "accesskey", "token", "apitoken"];

/** The message also names the parameter or header in which the key appears to have been sent by mistake. */
function missingKey(request: FastifyRequest, { namesOf, elsewhereHint }: Credentials): AppError {
  const { headers } = request;
  const name = namesOf(request).find((sent) => sent !== "api_key" && otherKeyNames.includes(sent.toLowerCase().replaceAll(/[-_]/g, "")));
  const instead = name ? `, not ${name}` : "";
  const scheme = headers.authorization && !name ? "; the Authorization header must be Bearer followed by the key" : "";
  const places = `in the query parameter api_key${instead}, or in a header, Authorization: Bearer or X-API-Key${elsewhereHint}`;
  return wrongParameter("api_key", `is missing: send the key ${places}${scheme}`, "the API key, in the query string or in a header");
}

function assertWithin({ allowed, limit, retryAfterSeconds }: RateLimitState): void {
  if (allowed) return;
  throw new AppError("rate_limited", {
    message: `Rate limit of ${limit} ${limit === 1 ? "request" : "requests"} exceeded; try again in ${retryAfterSeconds} s.`,
    retryAfterSeconds,
  });
}
