/** Decides whether a request may ask at all: its key, the page it comes from, its signature, and how often. */

import type { FastifyReply, FastifyRequest } from "fastify";
import type { Keys } from "../../accounts/keys/authenticate.ts";
import type { Caller } from "../../accounts/keys/caller.ts";
import { assertCallerAllowed } from "../../accounts/keys/domains.ts";
import type { Signatures } from "../../accounts/keys/signature.ts";
import type { RateLimiter, RateLimitState } from "../../accounts/usage/rate-limit.ts";
import { AppError } from "../../errors.ts";
import { queryOf } from "../query.ts";
import type { UsageTracker } from "./usage-tracker.ts";

/** Resolves with the result of `lookup`, which may run while the rate limit is checked; it is discarded if the request is refused. */
export type Admit = <T>(request: FastifyRequest, reply: FastifyReply, lookup: (caller: Caller) => Promise<T>) => Promise<T>;

interface AdmissionParts {
  keys: Keys;
  signatures: Signatures;
  rateLimiter: RateLimiter;
  tracker: UsageTracker;
}

/**
 * From the rate limit on, its headers are on the answer, also when that is an error.
 * @throws {AppError} `invalid_parameters` without a key, `invalid_api_key`, `domain_not_allowed`, `signature_invalid`, `rate_limited`, `unavailable`.
 */
export function createAdmission({ keys, signatures, rateLimiter, tracker }: AdmissionParts): Admit {
  return async (request, reply, lookup) => {
    const { pairs } = queryOf(request);
    const sent = pairs.filter(({ name }) => name === "api_key").map(({ value }) => value());
    const [text, ...others] = new Set(sent.filter((value) => value !== ""));
    if (text === undefined) throw missingKey(request);
    if (others.length > 0) throw new AppError("invalid_api_key");
    const key = await keys.authenticate(text).catch((error) => refuseUnknown(error, request, rateLimiter));
    tracker.attribute(request, key);
    assertCallerAllowed(key, request.headers);
    signatures.assertSigned(key, pairs);
    return await counted(request, reply, rateLimiter.consume({ id: key.id, limit: key.rateLimit }), () => lookup(key));
  };
}

/** Parameter names of other services for a key, in lower case and without separators. */
const otherKeyNames = ["apikey", "key", "accesskey", "token", "apitoken"];

/** Names the place where the key was sent by mistake, if any. */
function missingKey(request: FastifyRequest): AppError {
  const { headers } = request;
  const names = queryOf(request).pairs.map(({ name }) => name);
  const name = names.find((sent) => sent !== "api_key" && otherKeyNames.includes(sent.toLowerCase().replaceAll(/[-_]/g, "")));
  const header = headers.authorization ? "Authorization" : headers["x-api-key"] ? "X-API-Key" : undefined;
  const instead = name ? `, not ${name}` : header ? `, not in the ${header} header` : "";
  const message = `api_key is missing: send the key in the query parameter api_key${instead}`;
  const details = [{ parameter: "api_key", message, allowed: "the API key, in the query string" }];
  return new AppError("invalid_parameters", { details });
}

/** Queries up to this length are read while the rate limit is checked; longer ones could cost more than the answer 429. */
const shortQueryLength = 2_048;

/** Sets the rate limit's headers, also on a 429. @throws {AppError} `rate_limited`, and what `lookup` throws. */
export async function counted<T>(
  request: FastifyRequest,
  reply: FastifyReply,
  counting: Promise<RateLimitState>,
  lookup: () => Promise<T>,
): Promise<T> {
  const early = queryOf(request).text.length <= shortQueryLength ? lookup() : undefined;
  early?.catch(() => {}); // awaited below, unless the request is refused
  const limit = await counting;
  reply.header("x-ratelimit-limit", limit.limit);
  reply.header("x-ratelimit-remaining", limit.remaining);
  reply.header("x-ratelimit-reset", limit.resetAtSeconds);
  assertWithin(limit);
  return await (early ?? lookup());
}

/** Whoever tries keys that don't exist is limited by address. */
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
