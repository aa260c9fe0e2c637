/** Leases in Redis: one of several replicas does what all of them are about to do. */

import { randomUUID } from "node:crypto";
import type { Redis } from "ioredis";

export interface Lease {
  /** Releases the lease. Never throws: a lease that can't be released expires shortly afterwards. */
  end(): void;
}

/**
 * Resolves with the lease called `name`, or undefined if it is taken, on this replica or another; never rejects. It is renewed until `end`;
 * that of a replica that died expires after three seconds. An optimisation, not a lock: without Redis every caller gets it.
 */
export type TakeLease = (name: string) => Promise<Lease | undefined>;

const heldMs = 3_000;
const renewEveryMs = 1_000;

/** A holder that renews too late must not touch the lease of the next holder. */
const renewOwn = `if redis.call("get", KEYS[1]) == ARGV[1] then return redis.call("pexpire", KEYS[1], ARGV[2]) end return 0`;
const endOwn = `if redis.call("get", KEYS[1]) == ARGV[1] then return redis.call("del", KEYS[1]) end return 0`;

export function createLeases(redis: Redis): TakeLease {
  return async (name) => {
    const key = `tintype:lease:${name}`;
    const token = randomUUID();
    const answer = await redis.set(key, token, "PX", heldMs, "NX").catch(() => "away");
    if (answer === null) return undefined;
    if (answer === "away") return { end() {} };
    const renewal = setInterval(() => redis.eval(renewOwn, 1, key, token, heldMs).catch(() => {}), renewEveryMs).unref();
    return {
      end() {
        clearInterval(renewal);
        redis.eval(endOwn, 1, key, token).catch(() => {});
      },
    };
  };
}
