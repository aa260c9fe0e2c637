/**
 * Limits the sign-ins that callers request, and captures that fail after they have typed, so that the service is of little use for guessing
 * passwords: neither costs anything.
 */

import type { Redis } from "ioredis";
import { AppError } from "../../shared/errors.ts";
import type { SignInPlan } from "../../shared/sign-in-plan.ts";
import { siteOf } from "../../shared/site.ts";
import type { Typing } from "../../shared/typing.ts";
import { createCounter } from "../usage/rate-limit.ts";

export interface SignInAttempts {
  /**
   * Counts a requested sign-in, before the page is loaded and whether or not it succeeds: for the account, and for the account on each site
   * on which its steps may type. Sign-ins that captures need by themselves aren't: they use a password that has worked, and have their own
   * limit.
   * @throws {AppError} `rate_limited`.
   */
  countSignIn(userId: string, plan: Pick<SignInPlan, "url" | "signInHosts">): Promise<void>;
  /**
   * Counts a sign-in for the site of a page on which it is about to type, or that is shown afterwards, since a form may lead to any site.
   * Hosts that a caller has merely named don't use up what all accounts share. One that a capture needs by itself is counted only on other
   * sites than that of its `url`, because their owner may have led it there with a password that has never worked.
   * @param isRequested whether `countSignIn` has counted it. @throws {AppError} `rate_limited`.
   */
  countTyping(userId: string, page: URL, plan: Pick<SignInPlan, "url" | "signInHosts">, isRequested: boolean): Promise<void>;
  /**
   * For a capture whose steps are about to type, on pages at these addresses: the last is the one that is typed into.
   * @throws {AppError} `rate_limited`.
   */
  startTyping(userId: string, pages: URL[]): Promise<Typing>;
}

const seconds = 3_600;
/** All sites together. */
const perAccount = 120;
/** Enough to find out which steps a page needs. */
const perAccountAndSite = 30;
/** All accounts together; ten of them can use it up. */
const perSite = 300;

interface Limited {
  counter: ReturnType<typeof createCounter>;
  id: string;
  max: number;
  who: string;
}

export function createSignInAttempts(redis: Redis): SignInAttempts {
  const ofAccounts = createCounter(redis, "page-sign-in:account", seconds);
  const ofAccountsAndSites = createCounter(redis, "page-sign-in:account-site", seconds);
  const ofSites = createCounter(redis, "page-sign-in:site", seconds);

  const ofAccountAndSites = (userId: string, hosts: string[]) =>
    [...new Set(hosts.map(siteOf))].map((site) => {
      return { counter: ofAccountsAndSites, id: `${userId} ${site}`, max: perAccountAndSite, who: `The account has, for ${site},` };
    });
  const ofAccount = (userId: string, hosts: string[]) => [
    { counter: ofAccounts, id: userId, max: perAccount, who: "The account has" },
    ...ofAccountAndSites(userId, hosts),
  ];
  const ofAll = (host: string) => {
    return { counter: ofSites, id: siteOf(host), max: perSite, who: `All accounts together have, for ${siteOf(host)},` };
  };

  return {
    async countSignIn(userId, { url, signInHosts }) {
      const host = new URL(url).hostname;
      for (const one of ofAccount(userId, [host, ...signInHosts])) await count(one);
      await assertWithin(ofAll(host), "requested too many sign-ins within an hour");
    },
    async countTyping(userId, { hostname }, { url, signInHosts }, isRequested) {
      const known = [new URL(url).hostname, ...(isRequested ? signInHosts : [])];
      const isKnown = known.map(siteOf).includes(siteOf(hostname));
      if (hostname === "" || (isKnown && !isRequested)) return;
      for (const one of isKnown ? [] : ofAccountAndSites(userId, [hostname])) await count(one);
      await count(ofAll(hostname));
    },
    async startTyping(userId, pages) {
      /** The check of each host so far. */
      const checks = new Map<string, Promise<void>>();
      let shown: string | undefined;
      let isCounted = false;
      const assertAll = async (counters: Limited[]) => {
        for (const one of counters)
          await assertWithin(one, "too many captures within an hour that failed after typing, or requested sign-ins");
      };
      const reach = async ({ hostname }: URL) => {
        shown = isOfCaller(hostname) ? undefined : hostname;
        if (shown === undefined) return;
        const check = checks.get(shown) ?? assertAll([...ofAccount(userId, [shown]), ofAll(shown)]);
        checks.set(shown, check);
        await check; // a host that was refused stays refused, for further outputs
      };
      await assertAll(ofAccount(userId, []));
      for (const page of pages) await reach(page);
      const typedOn = shown;
      return {
        reach,
        countFailure: async () => {
          if (isCounted) return;
          isCounted = true;
          const sites = new Set([typedOn, shown].flatMap((host) => (host === undefined ? [] : [siteOf(host)])));
          const counters = [...ofAccount(userId, [...checks.keys()]), ...[...sites].map(ofAll)];
          await Promise.all(counters.map(({ counter, id }) => counter.consume(id))).catch(() => {}); // the failure itself is more important
        },
      };
    },
  };
}

/** As for a document that the caller sent. */
const isOfCaller = (host: string) => /(^|\.)localhost$|^$/.test(host);

async function count({ counter, id, max, who }: Limited): Promise<void> {
  const { consumedPoints, msBeforeNext } = await counter.consume(id);
  if (consumedPoints > max) throw limited(`${who} requested too many sign-ins within an hour`, msBeforeNext);
}

async function assertWithin({ counter, id, max, who }: Limited, problem: string): Promise<void> {
  const { consumedPoints = 0, msBeforeNext = 0 } = (await counter.get(id)) ?? {};
  if (consumedPoints >= max) throw limited(`${who} ${problem}`, msBeforeNext);
}

function limited(what: string, msBeforeNext: number): AppError {
  const retryAfterSeconds = Math.max(Math.ceil(msBeforeNext / 1000), 1);
  return new AppError("rate_limited", { message: `${what}; try again in ${retryAfterSeconds} s.`, retryAfterSeconds });
}
