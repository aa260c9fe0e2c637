/** From a parsed request to a screenshot: cache, single flight, lease, then capture and store. */

import { buffer } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import type { Caller } from "../accounts/keys/caller.ts";
import { assertMayCapture, mayCapture } from "../accounts/keys/domains.ts";
import { createSingleFlight } from "../coalesce.ts";
import { untilAborted, withDeadline } from "../deadline.ts";
import type { CachedImage, CaptureCache } from "./cache.ts";
import type { CaptureAndStore, Screenshot, TimeLimit } from "./capture-and-store.ts";
import type { Lease, TakeLease } from "./lease.ts";
import type { TakeRequest } from "./take-request.ts";

interface TakeParts {
  cache: CaptureCache;
  takeLease: TakeLease;
  captureAndStore: CaptureAndStore;
  /**
   * Rejects a target that pages may not reach, early and with a clear error. The egress filter enforces it.
   * @throws {AppError} `target_blocked`, `name_not_resolved`.
   */
  vetTarget: (url: URL, signal: AbortSignal) => Promise<void>;
}

/** `coalesced`: captured for another request, on this replica or another. */
export type TakenScreenshot = Screenshot & { coalesced: boolean };

interface Signals {
  /** Aborts when the client disconnects; the capture goes on while another waiter is left. */
  disconnected: AbortSignal;
  /** Aborts at the end of the request's `timeout`; shared by all waiters of a flight. */
  deadline: AbortSignal;
  /** The deadline by `performance.now()`. */
  deadlineAt: number;
}

export interface TakeScreenshot {
  /**
   * The stored screenshot that answers the request, if it accepts cached ones.
   * @throws {AppError} `target_not_allowed`.
   */
  find(caller: Caller, request: TakeRequest): Promise<CachedImage | undefined>;
  /** Checks the target as `take` does, without capturing. @throws {AppError} as `take`. */
  vet(request: TakeRequest, signals: Signals): Promise<void>;
  /** @throws {AppError} whatever the caller, the target or the limits caused; the reasons of `signals`. */
  take(caller: Caller, request: TakeRequest, signals: Signals): Promise<TakenScreenshot>;
}

const pollIntervalMs = 100;
/** The lease ends with the upload, or after this time: a slow store must not block other replicas. */
const storedWithinMs = 1_000;

export function createTakeScreenshot({ cache, takeLease, captureAndStore, vetTarget }: TakeParts): TakeScreenshot {
  const singleFlight = createSingleFlight<TakenScreenshot>();
  const { find, read } = createReader(cache);

  async function capture(caller: Caller, request: TakeRequest, limit: TimeLimit, lease?: Lease): Promise<TakenScreenshot> {
    try {
      const screenshot = await captureAndStore(caller, request, limit);
      withDeadline(screenshot.stored, storedWithinMs, () => {}).then(() => lease?.end());
      return { ...screenshot, coalesced: false };
    } catch (error) {
      lease?.end();
      throw error;
    }
  }

  /** The lease is requested before the cache is read: its previous holder wrote to the cache before it let go. */
  async function leaseOrRead(name: string, reading: () => Promise<Screenshot | undefined>, vetted: Promise<void>) {
    const leasing = takeLease(name);
    try {
      const [stored] = await Promise.all([reading(), vetted]);
      return { lease: await leasing, stored };
    } catch (error) {
      (await leasing)?.end();
      throw error;
    }
  }

  /** One replica captures, the others poll the cache. A waiter stops waiting after half its timeout and captures itself. */
  async function captureOnce(caller: Caller, request: TakeRequest, limit: TimeLimit): Promise<TakenScreenshot> {
    const { signal, deadlineAt } = limit;
    const vetted = vetTarget(request.target, signal);
    const { is_cached, timeout } = request.options;
    if (!is_cached) return await vetted.then(() => capture(caller, request, limit));
    const name = `${caller.userId}:${request.identity.toString("base64url")}`;
    const waitUntil = deadlineAt - timeout * 500;
    for (let hasWaited = false; ; hasWaited = true) {
      const { lease, stored } = await leaseOrRead(name, () => read(caller, request, signal), vetted);
      if (stored) {
        lease?.end();
        return { ...stored, coalesced: true };
      }
      // The previous holder stored nothing; waiting for the next lease would not help.
      if (hasWaited) lease?.end();
      if (lease || performance.now() > waitUntil) return await capture(caller, request, limit, lease);
      await untilAborted(delay(pollIntervalMs), signal);
    }
  }

  return {
    find,
    vet: ({ target }, { disconnected, deadline }) => vetTarget(target, AbortSignal.any([disconnected, deadline])),
    async take(caller, request, { disconnected, deadline, deadlineAt }) {
      const { value, joined } = await singleFlight.join(flightKey(caller, request), disconnected, (abandoned) =>
        captureOnce(caller, request, { signal: AbortSignal.any([abandoned, deadline]), deadlineAt }),
      );
      return { ...value, coalesced: joined || value.coalesced };
    },
  };
}

function createReader(cache: CaptureCache) {
  async function find(caller: Caller, { options, identity, target }: TakeRequest): Promise<CachedImage | undefined> {
    assertMayCapture(caller, target);
    const found = options.is_cached ? await cache.find(caller.userId, identity, options.cache_ttl) : undefined;
    return found && mayCapture(caller, found.finalUrl) ? found : undefined; // another key of the account may have wider targets
  }

  /** The screenshot from the cache with its bytes, for a waiter. */
  async function read(caller: Caller, request: TakeRequest, signal: AbortSignal): Promise<Screenshot | undefined> {
    const found = await find(caller, request);
    const body = found && (await cache.open(found, signal));
    if (!found || !body) return undefined;
    const { objectKey, indexKey: _, ...record } = found;
    return { ...record, image: Buffer.isBuffer(body) ? body : await buffer(body), stored: Promise.resolve(objectKey) };
  }

  return { find, read };
}

/** Waiters of one flight share its deadline, what happens then, and its allowed targets, so these are part of the key. */
function flightKey({ userId, allowedTargets }: Caller, { identity, options }: TakeRequest): string {
  return [userId, identity.toString("hex"), options.timeout, options.on_timeout, options.is_cached, ...allowedTargets].join(" ");
}
