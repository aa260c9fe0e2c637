/**
 * Limits requested sign-ins, and captures that fail after typing. Both are free, so without a limit the service could be used to guess
 * passwords.
 */

import type { Redis } from "ioredis";
import { AppError } from "../../shared/errors.ts";
import type { SignInPlan } from "../../shared/sign-in-plan.ts";
import type { Typing } from "../../shared/typing.ts";
import { siteOf } from "../../shared/urls.ts";
import { createCounter } from "../usage/rate-limit.ts";

export interface SignInAttempts {
  /**
   * Counts a requested sign-in, before its page is loaded and whether or not it succeeds: once for the account, and once for the account on
   * each site where the steps may type. Sign-ins that captures trigger are not counted: they use a password that has worked, and have their
   * own limit (`signInsPerHour`).
   * @throws {AppError} `rate_limited`.
   */
  countSignIn(userId: string, plan: Pick<SignInPlan, "url" | "signInHosts">): Promise<void>;
  /**
   * Counts a sign-in against the site where it is about to type, or against a site shown after typing, since a form may lead to any site.
   * This counts toward the limit that all accounts share; merely naming a host in a request doesn't. A sign-in triggered by a capture isn't
   * counted on the site of its `url`, but is counted on other sites: the session's owner may have led it there to try a password that has
   * never worked. @throws {AppError} `rate_limited`.
   */
  countTyping(userId: string, page: URL, plan: Pick<SignInPlan, "url" | "signInHosts">, about: TypingOnPage): Promise<void>;
  /**
   * Checks the limits for a capture whose steps are about to type. @param pages shown so far; the steps type on the last page.
   * @throws {AppError} `rate_limited`.
   */
  startTyping(userId: string, pages: URL[]): Promise<Typing>;
}

interface TypingOnPage {
  /** Whether a caller requested the sign-in, in which case `countSignIn` has already counted it. */
  isRequested: boolean;
  /** Whether the sign-in has already typed a password on this site. Each additional password counts as another sign-in. */
  isFurther?: boolean | undefined;
}

const seconds = 3_600;
const tooMany = "requested too many sign-ins";
/** For all sites together. */
const perAccount = 120;
/** Enough to find out which steps a page needs. */
const perAccountAndSite = 30;
/** For all accounts together; ten accounts can use it up. */
const perSite = 300;

interface Limited {
  counter: ReturnType<typeof createCounter>;
  id: string;
  max: number;
  /** Start of the error message. */
  who: string;
  /** ` on <site>` in the error message, unless the limit is for all sites together. */
  where?: string;
}

/** The limits for an account, for an account on individual sites, and for all accounts together on one site. */
function createLimits(redis: Redis) {
  const accountCounter = createCounter(redis, "page-sign-in:account", seconds);
  const accountSiteCounter = createCounter(redis, "page-sign-in:account-site", seconds);
  const siteCounter = createCounter(redis, "page-sign-in:site", seconds);

  const accountSiteLimits = (userId: string, hosts: string[]) =>
    [...new Set(hosts.map(siteOf))].map((site) => {
      return { counter: accountSiteCounter, id: `${userId} ${site}`, max: perAccountAndSite, who: "The account has", where: ` on ${site}` };
    });
  const accountLimits = (userId: string, hosts: string[]) => [
    { counter: accountCounter, id: userId, max: perAccount, who: "The account has" },
    ...accountSiteLimits(userId, hosts),
  ];
  const siteLimit = (host: string) => {
    return { counter: siteCounter, id: siteOf(host), max: perSite, who: "All accounts together have", where: ` on ${siteOf(host)}` };
  };
  return { accountLimits, accountSiteLimits, siteLimit };
}

export function createSignInAttempts(redis: Redis): SignInAttempts {
  const { accountLimits, accountSiteLimits, siteLimit } = createLimits(redis);
  return {
    async countSignIn(userId, { url, signInHosts }) {
      const host = new URL(url).hostname;
      for (const one of accountLimits(userId, [host, ...signInHosts])) await count(one);
      await assertWithin(siteLimit(host), tooMany);
    },
    async countTyping(userId, { hostname }, { url, signInHosts }, { isRequested, isFurther }) {
      const known = [new URL(url).hostname, ...(isRequested ? signInHosts : [])];
      const isKnown = known.map(siteOf).includes(siteOf(hostname));
      if (hostname === "" || (isKnown && !isRequested)) return;
      const uncounted = isFurther ? accountLimits(userId, [hostname]) : isKnown ? [] : accountSiteLimits(userId, [hostname]);
      for (const one of uncounted) await count(one);
      await count(siteLimit(hostname));
    },
    async startTyping(userId, pages) {
      /** Keyed by host. */
      const checks = new Map<string, Promise<void>>();
      let shown: string | undefined;
      let isCounted = false;
      let passwords = 0;
      const assertAll = async (counters: Limited[], own = 0) => {
        for (const one of counters)
          await assertWithin(one, "requested too many sign-ins, or had too many captures fail after typing,", own);
      };
      const reach = async ({ hostname }: URL) => {
        shown = isLocal(hostname) ? undefined : hostname;
        if (shown === undefined) return;
        const check = checks.get(shown) ?? assertAll([...accountLimits(userId, [shown]), siteLimit(shown)]);
        checks.set(shown, check);
        await check; // a refused host stays refused for the capture's other outputs
      };
      await assertAll(accountLimits(userId, []));
      for (const page of pages) await reach(page);
      const typedOn = shown;
      return {
        reach,
        countPassword: async () => {
          if (passwords > 0)
            await assertAll([...accountLimits(userId, [...checks.keys()]), ...(shown ? [siteLimit(shown)] : [])], passwords);
          passwords += 1;
        },
        countFailure: async () => {
          if (isCounted) return;
          isCounted = true;
          const sites = new Set([typedOn, shown].flatMap((host) => (host === undefined ? [] : [siteOf(host)])));
          const counters = [...accountLimits(userId, [...checks.keys()]), ...[...sites].map(siteLimit)];
          // A failure to count is ignored, because the capture's own failure matters more.
          await Promise.all(counters.map(({ counter, id }) => counter.consume(id, Math.max(1, passwords)))).catch(() => {});
        },
      };
    },
  };
}

/** True for localhost, and for pages without a server, such as documents that callers send (`addressOf` in capture/options.ts). */
const isLocal = (host: string) => /(^|\.)localhost$|^$/.test(host);

async function count(limit: Limited): Promise<void> {
  const { consumedPoints, msBeforeNext } = await limit.counter.consume(limit.id);
  if (consumedPoints > limit.max) throw limited(limit, tooMany, msBeforeNext);
}

/** @param own attempts that aren't counted yet. */
async function assertWithin(limit: Limited, problem: string, own = 0): Promise<void> {
  const { consumedPoints = 0, msBeforeNext = 0 } = (await limit.counter.get(limit.id)) ?? {};
  if (consumedPoints + own >= limit.max) throw limited(limit, problem, msBeforeNext);
}

function limited({ who, where = "" }: Limited, problem: string, msBeforeNext: number): AppError {
  const retryAfterSeconds = Math.max(Math.ceil(msBeforeNext / 1000), 1);
  return new AppError("rate_limited", {
    message: `${who} ${problem}${where} within an hour; try again in ${retryAfterSeconds} s.`,
    retryAfterSeconds,
  });
}
