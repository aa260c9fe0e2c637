/** Leases in Redis, so that replicas about to do the same work do it only once. */

import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type { Redis } from "ioredis";
import { untilAborted, withDeadline } from "../../shared/deadline.ts";

export interface Lease {
  /** Releases the lease. Never throws: a lease that can't be released expires shortly afterwards. */
  end(): void;
}

/**
 * Resolves with the lease called `name`, or undefined if this or another replica holds it; never rejects. The lease is renewed until
 * `end` is called; a crashed replica's lease expires after three seconds. An optimization, not a lock: without Redis, every caller gets
 * a lease.
 */
export type AcquireLease = (name: string) => Promise<Lease | undefined>;

const heldMs = 3_000;
const renewEveryMs = 1_000;

/** Compare-and-set on the token: a holder that renews too late must not touch the next holder's lease. */
const renewOwn = `if redis.call("get", KEYS[1]) == ARGV[1] then return redis.call("pexpire", KEYS[1], ARGV[2]) end return 0`;
const endOwn = `if redis.call("get", KEYS[1]) == ARGV[1] then return redis.call("del", KEYS[1]) end return 0`;

export function createLeases(redis: Redis): AcquireLease {
  return async (name) => {
    const key = `tintype:lease:${name}`;
    const token = randomUUID();
    const answer = await redis.set(key, token, "PX", heldMs, "NX").catch(() => "unavailable");
    if (answer === null) return undefined;
    if (answer === "unavailable") return { end() {} };
    const renewal = setInterval(() => redis.eval(renewOwn, 1, key, token, heldMs).catch(() => {}), renewEveryMs).unref();
    return {
      end() {
        clearInterval(renewal);
        redis.eval(endOwn, 1, key, token).catch(() => {});
      },
    };
  };
}

const pollIntervalMs = 100;

interface Wait<T> {
  /** Reads the result stored by the lease's holder. */
  read: () => Promise<T | undefined>;
  /** End of the wait, as a `performance.now()` time. */
  until: number;
  signal: AbortSignal;
}

/**
 * The lease's holder captures while other callers wait for its result. Resolves with the lease or the stored result, or with neither if
 * waiting longer is pointless. The lease is requested before the result is read, because a holder stores its result before releasing the
 * lease.
 * @throws any error from `read`, or the signal's reason.
 */
export async function leaseOrResult<T>(acquire: () => ReturnType<AcquireLease>, { read, until, signal }: Wait<T>) {
  for (let hasWaited = false; ; hasWaited = true) {
    const leasing = acquire();
    const result = await read().catch(async (error) => {
      (await leasing)?.end();
      throw error;
    });
    const lease = await leasing;
    if (lease && !result && !hasWaited) return { result, lease };
    // Getting the lease after a wait means that its last holder stored nothing. This caller may store nothing either, so others don't wait.
    lease?.end();
    if (result || lease || performance.now() > until) return { result, lease: undefined };
    await untilAborted(delay(pollIntervalMs), signal);
  }
}

/** Maximum time for which slow storage may block other replicas. */
const storedWithinMs = 1_000;

/** Ends the lease once `stored` resolves, or after a second. */
export function endOnceStored(lease: Lease | undefined, stored: Promise<unknown>): void {
  withDeadline(stored, storedWithinMs, () => {}).then(() => lease?.end());
}
