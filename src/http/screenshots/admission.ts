/** Decides whether a request may ask at all: its key, the page it comes from, its signature, and how often. */

import type { FastifyReply, FastifyRequest } from "fastify";
import type { Caller, Keys } from "../../accounts/keys/authenticate.ts";
import { assertCallerAllowed } from "../../accounts/keys/domains.ts";
import type { Signatures } from "../../accounts/keys/signature.ts";
import type { RateLimiter, RateLimitState } from "../../accounts/usage/rate-limit.ts";
import { AppError } from "../../errors.ts";
import { queryOf } from "../query.ts";
import type { Askers } from "./usage-tracker.ts";

/** Resolves with what `meanwhile` found out, which is asked while the request is counted; nobody hears of that when the request is refused. */
export type Admit = <T>(request: FastifyRequest, reply: FastifyReply, meanwhile: (caller: Caller) => Promise<T>) => Promise<T>;

interface AdmissionParts {
  keys: Keys;
  signatures: Signatures;
  rateLimiter: RateLimiter;
  askers: Askers;
}

/**
 * From the rate limit on, its headers are on the answer, also when that is an error.
 * @throws {AppError} `invalid_parameters` without a key, `invalid_api_key`, `domain_not_allowed`, `signature_invalid`, `rate_limited`, `unavailable`.
 */
export function createAdmission({ keys, signatures, rateLimiter, askers }: AdmissionParts): Admit {
  return async (request, reply, meanwhile) => {
    const { pairs } = queryOf(request);
    const sent = pairs.filter(({ name }) => name === "api_key").map(({ value }) => value());
    const [text, ...others] = new Set(sent.filter((value) => value !== ""));
    if (text === undefined) {
      throw new AppError("invalid_parameters", {
        details: [{ parameter: "api_key", message: "api_key is missing", allowed: "the API key, in the query string" }],
      });
    }
    if (others.length > 0) throw new AppError("invalid_api_key");
    const key = await keys.authenticate(text).catch((error) => refuseUnknown(error, request, rateLimiter));
    askers.note(request, key);
    assertCallerAllowed(key, request.headers);
    signatures.assertSigned(key, pairs);
    return await counted(reply, rateLimiter.consume({ id: key.id, limit: key.rateLimit }), meanwhile(key));
  };
}

/** Tells of the limit in the answer's headers, also when it is over. @throws {AppError} `rate_limited`, whatever came of `work`. */
export async function counted<T>(reply: FastifyReply, counting: Promise<RateLimitState>, work: Promise<T>): Promise<T> {
  const [limit] = await Promise.all([counting, work.catch(() => {})]);
  reply.header("x-ratelimit-limit", limit.limit);
  reply.header("x-ratelimit-remaining", limit.remaining);
  reply.header("x-ratelimit-reset", limit.resetAtSeconds);
  assertWithin(limit);
  return await work;
}

/** Whoever tries keys that don't exist is limited by address. */
async function refuseUnknown(error: unknown, request: FastifyRequest, rateLimiter: RateLimiter): Promise<never> {
  if (error instanceof AppError && error.code === "invalid_api_key") assertWithin(await rateLimiter.consumeAddress(request.ip));
  throw error;
}

function assertWithin({ allowed, limit, retryAfterSeconds }: RateLimitState): void {
  if (allowed) return;
  throw new AppError("rate_limited", { message: `More than ${limit} requests; try again in ${retryAfterSeconds} s.`, retryAfterSeconds });
}
