/** Leases in Redis: one of several replicas does what all of them are about to do. */

import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type { Redis } from "ioredis";
import { untilAborted, withDeadline } from "../deadline.ts";

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

const pollIntervalMs = 100;

interface Wait<T> {
  /** Finds what the holder of the lease has stored. */
  read: () => Promise<T | undefined>;
  /** By `performance.now()`. */
  until: number;
  signal: AbortSignal;
}

/**
 * One holder captures, the others wait for what it stores: resolves with the lease or what is stored, or with neither, if waiting longer
 * doesn't help. The lease is requested before the read: its previous holder stored before it let go.
 * @throws what `read` throws, or the reason of `signal`.
 */
export async function leaseOrStored<T>(take: () => ReturnType<TakeLease>, { read, until, signal }: Wait<T>) {
  for (let hasWaited = false; ; hasWaited = true) {
    const leasing = take();
    const stored = await read().catch(async (error) => {
      (await leasing)?.end();
      throw error;
    });
    const lease = await leasing;
    // After a wait, the previous holder stored nothing; waiting for the next one would not help.
    if (stored || hasWaited) lease?.end();
    if (stored || lease || performance.now() > until) return { stored, lease };
    await untilAborted(delay(pollIntervalMs), signal);
  }
}

/** A slow store must not block other replicas for longer. */
const storedWithinMs = 1_000;

/** Ends the lease once `stored` resolves, or after a second. */
export function endOnceStored(lease: Lease | undefined, stored: Promise<unknown>): void {
  withDeadline(stored, storedWithinMs, () => {}).then(() => lease?.end());
}
