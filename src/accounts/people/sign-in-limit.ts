/** How often somebody may try to sign in: per address and per e-mail, in Redis; while it is away, in this process. */

import { createHash } from "node:crypto";
import type { Redis } from "ioredis";
import { AppError } from "../../errors.ts";
import { addressBucket, createCounter } from "../usage/rate-limit.ts";

/** @throws {AppError} `rate_limited`. Every try counts, also one that succeeds or is refused here. */
export type CountTry = (ip: string, email?: string) => Promise<void>;

/** Guessing one password over many addresses is what the second one is for; it is wide, as it locks the owner out, too. */
const perAddress = { tries: 20, seconds: 60 };
const perEmail = { tries: 20, seconds: 15 * 60 };

export function createSignInLimit(redis: Redis): CountTry {
  const addresses = createCounter(redis, "sign-in:address", perAddress.seconds);
  const emails = createCounter(redis, "sign-in:email", perEmail.seconds);
  return async (ip, email) => {
    assertWithin(await addresses.consume(addressBucket(ip)), perAddress.tries);
    // Hashed, so that any text a caller sends makes a key of one length, and Redis holds no addresses.
    if (email !== undefined) assertWithin(await emails.consume(hashOf(email)), perEmail.tries);
  };
}

function assertWithin({ consumedPoints, msBeforeNext }: { consumedPoints: number; msBeforeNext: number }, tries: number): void {
  if (consumedPoints <= tries) return;
  const retryAfterSeconds = Math.max(Math.ceil(msBeforeNext / 1000), 1);
  throw new AppError("rate_limited", { message: `Too many tries; try again in ${retryAfterSeconds} s.`, retryAfterSeconds });
}

function hashOf(email: string): string {
  return createHash("sha256").update(email.trim().toLowerCase()).digest("base64url");
}
