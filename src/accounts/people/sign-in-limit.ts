/** Limits sign-in attempts by IP address and by e-mail address, in Redis; during an outage of Redis, per process. */

import { createHash } from "node:crypto";
import type { Redis } from "ioredis";
import { AppError } from "../../errors.ts";
import { addressBucket, createCounter } from "../usage/rate-limit.ts";

/** Counts an attempt, also one that succeeds or is refused here. @throws {AppError} `rate_limited`. */
export type CountTry = (ip: string, email?: string) => Promise<void>;

const perAddress = { attempts: 20, seconds: 60 };
/** Against guessing one user's password from many addresses; generous, as it locks the user out, too. */
const perEmail = { attempts: 20, seconds: 15 * 60 };

export function createSignInLimit(redis: Redis): CountTry {
  const addresses = createCounter(redis, "sign-in:address", perAddress.seconds);
  const emails = createCounter(redis, "sign-in:email", perEmail.seconds);
  return async (ip, email) => {
    assertWithin(await addresses.consume(addressBucket(ip)), perAddress.attempts);
    // Hashed, so that keys have one length whatever is sent, and Redis holds no e-mail addresses.
    if (email !== undefined) assertWithin(await emails.consume(hashOf(email)), perEmail.attempts);
  };
}

function assertWithin({ consumedPoints, msBeforeNext }: { consumedPoints: number; msBeforeNext: number }, attempts: number): void {
  if (consumedPoints <= attempts) return;
  const retryAfterSeconds = Math.max(Math.ceil(msBeforeNext / 1000), 1);
  throw new AppError("rate_limited", { message: `Too many attempts; try again in ${retryAfterSeconds} s.`, retryAfterSeconds });
}

function hashOf(email: string): string {
  return createHash("sha256").update(email.trim().toLowerCase()).digest("base64url");
}
