/** Limits sign-in attempts by IP address and by e-mail address, in Redis, or per process during a Redis outage. */

import { createHash } from "node:crypto";
import type { Redis } from "ioredis";
import { addressBucket, createAttemptLimit } from "../usage/rate-limit.ts";

/** Counts an attempt, including successful ones and those refused here. @throws {AppError} `rate_limited`. */
export type CountSignInAttempt = (ip: string, email?: string) => Promise<void>;

const perAddress = { attempts: 20, seconds: 60 };
/** Slows down attempts to guess one user's password from many addresses. Generous, because it also locks out the user. */
const perEmail = { attempts: 20, seconds: 15 * 60 };

export function createSignInLimit(redis: Redis): CountSignInAttempt {
  const countAddress = createAttemptLimit(redis, "sign-in:address", perAddress);
  const countEmail = createAttemptLimit(redis, "sign-in:email", perEmail);
  return async (ip, email) => {
    await countAddress(addressBucket(ip));
    // Hashed, so that keys have a fixed length and Redis doesn't hold e-mail addresses.
    if (email !== undefined) await countEmail(hashOf(email));
  };
}

function hashOf(email: string): string {
  return createHash("sha256").update(email.trim().toLowerCase()).digest("base64url");
}
