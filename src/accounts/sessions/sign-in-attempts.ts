/** Limits the sign-ins that callers request, so that the service is of no use for guessing passwords. */

import type { Redis } from "ioredis";
import { AppError } from "../../shared/errors.ts";
import type { SignInPlan } from "../../shared/sign-in-plan.ts";
import { siteOf } from "../../shared/site.ts";
import { createAttemptLimit } from "../usage/rate-limit.ts";

/**
 * Counts a requested sign-in, before the page is loaded and whether or not it succeeds: for the account, and for each site on which its
 * steps may type. Sign-ins that captures need by themselves aren't counted: they use a password that has worked, and have their own limit.
 * @throws {AppError} `rate_limited`.
 */
export type CountSignIn = (userId: string, plan: Pick<SignInPlan, "url" | "signInHosts">) => Promise<void>;

const seconds = 3_600;
/** All sites together. */
const perAccount = { attempts: 120, seconds };
/** Enough to find out which steps a page needs. */
const perAccountAndSite = { attempts: 30, seconds };
/** All accounts together; ten of them can use it up. */
const perSite = { attempts: 300, seconds };

export function createSignInAttempts(redis: Redis): CountSignIn {
  const countAccount = createAttemptLimit(redis, "page-sign-in:account", perAccount);
  const countAccountAndSite = createAttemptLimit(redis, "page-sign-in:account-site", perAccountAndSite);
  const countSite = createAttemptLimit(redis, "page-sign-in:site", perSite);
  return async (userId, { url, signInHosts }) => {
    const sites = [...new Set([new URL(url).hostname, ...signInHosts].map(siteOf))];
    await limited(countAccount(userId), "The account has");
    for (const site of sites) await limited(countAccountAndSite(`${userId} ${site}`), `The account has, for ${site},`);
    for (const site of sites) await limited(countSite(site), `All accounts together have, for ${site},`);
  };
}

async function limited(counting: Promise<void>, who: string): Promise<void> {
  await counting.catch((error) => {
    if (!(error instanceof AppError) || error.code !== "rate_limited") throw error;
    const { retryAfterSeconds } = error;
    const message = `${who} requested too many sign-ins within an hour; try again in ${retryAfterSeconds} s.`;
    throw new AppError("rate_limited", { message, retryAfterSeconds });
  });
}
