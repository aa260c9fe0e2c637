/** Lets one of several replicas do what all of them are about to do. */

import { randomUUID } from "node:crypto";
import type { Redis } from "ioredis";

export interface Lease {
  /** Lets somebody else have it. Never throws: what can't be ended ends by itself, a moment later. */
  end(): void;
}

/**
 * Resolves with the lease of `name`, or `undefined` when somebody has it, at this replica or another one; never rejects. It is held until
 * its end; what a replica held that died is free again after three seconds. An optimisation and no lock: without Redis everybody gets it.
 */
export type TakeLease = (name: string) => Promise<Lease | undefined>;

const heldMs = 3_000;
const renewEveryMs = 1_000;

/** Whoever was too late to renew must not touch what somebody else has by now. */
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
