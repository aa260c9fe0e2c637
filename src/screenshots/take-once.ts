/** Captures once what several replicas are asked for at the same time: one does, the others find its picture in the cache. */

import { buffer } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import { targetAllowed } from "../accounts/keys/domains.ts";
import { untilAborted, withDeadline } from "../deadline.ts";
import type { CaptureCache } from "./cache.ts";
import type { Lease, TakeLease } from "./lease.ts";
import type { Fresh, FreshRequest, TakeFresh } from "./take-fresh.ts";

interface OnceParts {
  takeFresh: TakeFresh;
  takeLease: TakeLease;
  cache: CaptureCache;
}

export interface OnceRequest extends FreshRequest {
  /** Rejects when the target may not be reached; goes on beside the asking of Redis. */
  vetted: Promise<void>;
}

/** `elsewhere`: it was captured for another request. */
export type TakeOnce = (request: OnceRequest) => Promise<Fresh & { elsewhere: boolean }>;

const lookEveryMs = 100;
/** A storage that takes longer keeps nobody waiting. */
const storedWithinMs = 1_000;

/** Who waits for another one's picture keeps half of the request's time, to take it after all. */
export function createTakeOnce({ takeFresh, takeLease, cache }: OnceParts): TakeOnce {
  /** Reads the picture, where the cache has it by now. */
  async function readCached({ key, identity, options, signal }: OnceRequest): Promise<Fresh | undefined> {
    const found = await cache.find(key.userId, identity, options.cache_ttl);
    if (!found || !targetAllowed(key.allowedTargets, new URL(found.finalUrl))) return undefined;
    const body = await cache.open(found, signal);
    if (!body) return undefined;
    const { objectKey, indexKey: _, ...about } = found;
    const image = Buffer.isBuffer(body) ? body : await buffer(body);
    return { ...about, image, timings: undefined, waitEnded: undefined, stored: Promise.resolve(objectKey) };
  }

  async function takeAndStore(request: OnceRequest, lease: Lease | undefined): Promise<Fresh> {
    try {
      const fresh = await takeFresh(request);
      withDeadline(fresh.stored, storedWithinMs, () => {}).then(() => lease?.end());
      return fresh;
    } catch (error) {
      lease?.end();
      throw error;
    }
  }

  /** In this order: who had the lease before told the cache of its picture first. */
  async function ask(name: string, request: OnceRequest): Promise<{ lease: Lease | undefined; picture: Fresh | undefined }> {
    const leasing = takeLease(name);
    try {
      const [picture] = await Promise.all([readCached(request), request.vetted]);
      return { lease: await leasing, picture };
    } catch (error) {
      (await leasing)?.end();
      throw error;
    }
  }

  return async (request) => {
    const { key, identity, options, signal, vetted } = request;
    const take = async (lease?: Lease) => ({ ...(await takeAndStore(request, lease)), elsewhere: false });
    if (!options.is_cached) return await vetted.then(() => take());
    const name = `${key.userId}:${identity.toString("base64url")}`;
    const waitUntil = performance.now() + options.timeout * 500;
    for (let hasWaited = false; ; hasWaited = true) {
      const { lease, picture } = await ask(name, request);
      if (picture) {
        lease?.end();
        return { ...picture, elsewhere: true };
      }
      // Who had it before left no picture, so the next would not leave one either: nobody need wait for that.
      if (hasWaited) lease?.end();
      if (lease || performance.now() > waitUntil) return await take(lease);
      await untilAborted(delay(lookEveryMs), signal);
    }
  };
}
