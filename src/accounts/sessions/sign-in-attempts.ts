/**
 * Limits the sign-ins that callers request, and captures that fail after they have typed, so that the service is of little use for guessing
 * passwords: neither costs anything.
 */

import type { Redis } from "ioredis";
import { AppError } from "../../shared/errors.ts";
import type { SignInPlan } from "../../shared/sign-in-plan.ts";
import { siteOf } from "../../shared/site.ts";
import { createCounter } from "../usage/rate-limit.ts";

export interface SignInAttempts {
  /**
   * Counts a requested sign-in, before the page is loaded and whether or not it succeeds: for the account, and for each site on which its
   * steps may type. Sign-ins that captures need by themselves aren't counted: they use a password that has worked, and have their own limit.
   * @throws {AppError} `rate_limited`.
   */
  countSignIn(userId: string, plan: Pick<SignInPlan, "url" | "signInHosts">): Promise<void>;
  /**
   * For a capture whose steps are about to type, on pages at these addresses.
   * @returns counts the capture together with the account's sign-ins, once: to be called if it fails. Never rejects.
   * @throws {AppError} `rate_limited`.
   */
  startTyping(userId: string, pages: URL[]): Promise<() => Promise<void>>;
}

const seconds = 3_600;
/** All sites together. */
const perAccount = 120;
/** Enough to find out which steps a page needs. */
const perAccountAndSite = 30;
/** All accounts together; ten of them can use it up. */
const perSite = 300;

export function createSignInAttempts(redis: Redis): SignInAttempts {
  const ofAccounts = createCounter(redis, "page-sign-in:account", seconds);
  const ofAccountsAndSites = createCounter(redis, "page-sign-in:account-site", seconds);
  const ofSites = createCounter(redis, "page-sign-in:site", seconds);

  const countersOf = (userId: string, hosts: string[]) => {
    const sites = [...new Set(hosts.map(siteOf))];
    return [
      { counter: ofAccounts, id: userId, max: perAccount, who: "The account has" },
      ...sites.map((site) => {
        return { counter: ofAccountsAndSites, id: `${userId} ${site}`, max: perAccountAndSite, who: `The account has, for ${site},` };
      }),
      ...sites.map((site) => ({ counter: ofSites, id: site, max: perSite, who: `All accounts together have, for ${site},` })),
    ];
  };

  return {
    async countSignIn(userId, { url, signInHosts }) {
      for (const { counter, id, max, who } of countersOf(userId, [new URL(url).hostname, ...signInHosts])) {
        const { consumedPoints, msBeforeNext } = await counter.consume(id);
        if (consumedPoints > max) throw limited(`${who} requested too many sign-ins within an hour`, msBeforeNext);
      }
    },
    async startTyping(userId, pages) {
      const hosts = pages.map(({ hostname }) => hostname).filter((host) => !/(^|\.)localhost$/.test(host)); // such as a caller's document
      const counters = countersOf(userId, hosts);
      for (const { counter, id, max, who } of counters) {
        const { consumedPoints = 0, msBeforeNext = 0 } = (await counter.get(id)) ?? {};
        if (consumedPoints >= max)
          throw limited(`${who} too many captures within an hour that failed after typing, or requested sign-ins`, msBeforeNext);
      }
      let isCounted = false;
      return async () => {
        if (isCounted) return;
        isCounted = true;
        await Promise.all(counters.map(({ counter, id }) => counter.consume(id))).catch(() => {}); // the failure itself is more important
      };
    },
  };
}

function limited(what: string, msBeforeNext: number): AppError {
  const retryAfterSeconds = Math.max(Math.ceil(msBeforeNext / 1000), 1);
  return new AppError("rate_limited", { message: `${what}; try again in ${retryAfterSeconds} s.`, retryAfterSeconds });
}
