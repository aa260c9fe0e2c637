/**
 * Turns a parsed request into a screenshot: cache, single flight, lease, then capture and store. The levels of a capture, from the outside
 * in: `TakeScreenshot.take` (single flight, also without `is_cached`), `takeWithLease`, `takeNew`, `CaptureAndStore` (quota and storing),
 * `TakeCapture` (browser slot, in capture/capture.ts), `load` (in capture/load-page.ts), `shoot` (in capture/capture.ts),
 * `shootWithRetry` and `shootOnce` (image, in capture/take-shot.ts).
 */

import type { CopyStored } from "../../accounts/destinations/copies.ts";
import type { Caller } from "../../accounts/keys/caller.ts";
import { assertMayCapture, assertSecretsAllowed, mayCapture } from "../../accounts/keys/restrictions.ts";
import type { PageSessions } from "../../accounts/sessions/page-sessions.ts";
import { hasNoHost } from "../../capture/options.ts";
import type { Clock } from "../../shared/clock.ts";
import { createSingleFlight } from "../../shared/coalesce.ts";
import { onAbort, untilAborted } from "../../shared/deadline.ts";
import type { VetTarget } from "../../shared/open-connection.ts";
import type { CaptureCache, IndexedEntry } from "./cache.ts";
import type { CaptureAndStore, Screenshot, TimeLimit } from "./capture-and-store.ts";
import { type AcquireLease, endOnceStored, type Lease, leaseOrResult } from "./lease.ts";
import type { Proxies } from "./proxies.ts";
import { type TakeRequest, withVersion } from "./take-options.ts";
import { createImageReader } from "./whole-image.ts";

interface TakeParts {
  cache: CaptureCache;
  sessions: Pick<PageSessions, "versionFor">;
  proxies: Pick<Proxies, "proxyFor" | "vet">;
  clock: Clock;
  acquireLease: AcquireLease;
  /** Captures in this process, or through the queue with `ROLE=api` (start/screenshot-services.ts). */
  captureAndStore: CaptureAndStore;
  /** Copies a screenshot captured by another replica to the destination of a request that was waiting for it. */
  copyStored: CopyStored;
  vetTarget: VetTarget;
  endingGraceMs: number;
}

/** `coalesced`: captured for another request, on this replica or another. */
export type TakenScreenshot = Screenshot & { coalesced: boolean };

/** A stored screenshot, and how the request may use it. */
export interface FoundScreenshot {
  entry: IndexedEntry;
  /**
   * `fresh`: used instead of a capture; `stale`: used while a background capture replaces it; undefined: used only instead of an error, if
   * at all.
   */
  freshness: "fresh" | "stale" | undefined;
  /** Whether it may be returned instead of an error. */
  mayReplaceError: boolean;
}

export interface Signals {
  /** Aborts when the client disconnects; the capture continues while others are waiting for it. */
  disconnected: AbortSignal;
  /** Aborts at the end of the request's `timeout`. A flight has the deadline of the request that started it. */
  deadline: AbortSignal;
  /** The deadline, as a `performance.now()` time. */
  deadlineAt: number;
}

export interface TakeScreenshot {
  /**
   * Checks that the caller may use the request's session, proxy and `har_secrets`. Returns the request with an identity that includes the
   * session's version, or the id of the sign-in that it performs. Requests without any of these options need not be prepared.
   * @throws {AppError} `invalid_parameters` if the session or proxy doesn't exist, if the session is for other hosts, or if a signed
   *   request has a proxy of its own or `har_secrets`; `domain_not_allowed`; `proxy_not_allowed`; `unavailable`.
   */
  prepare(caller: Caller, request: TakeRequest): Promise<TakeRequest>;
  /**
   * The stored screenshot that the request may use, if any.
   * @throws {AppError} `target_not_allowed`.
   */
  find(caller: Caller, request: TakeRequest): Promise<FoundScreenshot | undefined>;
  /**
   * Checks the target's address, and the caller's own proxy, as `take` does.
   * @throws {AppError} `target_blocked`, `name_not_resolved`, `proxy_failed`; the reasons of `signals`.
   */
  vet(request: TakeRequest, signals: Signals): Promise<void>;
  /** Time that `take` may run past the deadline, to finish a capture that is about to end, or to deliver one that finished in time. */
  endingGraceMs: number;
  /** @throws {AppError} failures of the capture, the target or the limits; the reasons of `signals`. */
  take(caller: Caller, request: TakeRequest, signals: Signals): Promise<TakenScreenshot>;
}

/** Share of the timeout spent waiting for another replica's capture; the rest is left for this replica's own capture. */
export const waitingShare = 0.5;

export function leaseName({ userId }: Caller, { identity }: TakeRequest): string {
  return `${userId}:${identity.toString("base64url")}`;
}

export function createTakeScreenshot(parts: TakeParts): TakeScreenshot {
  const { acquireLease, captureAndStore, vetTarget, sessions, proxies } = parts;
  const singleFlight = createSingleFlight<TakenScreenshot>();
  /** Deadline errors of flights, recognized by object identity: everyone waiting for a flight gets the same error. */
  const flightDeadlines = new WeakSet<object>();
  const { find, read } = createReader(parts);
  const vet = async ({ options, target }: TakeRequest, signal: AbortSignal) => {
    if (!hasNoHost(options)) await vetTarget(target, signal);
    if (options.proxy !== undefined) await proxies.vet(options.proxy, signal);
  };

  async function takeNew(caller: Caller, request: TakeRequest, time: TimeLimit, lease?: Lease): Promise<TakenScreenshot> {
    try {
      const screenshot = await captureAndStore(caller, request, time);
      if (lease) endOnceStored(lease, screenshot.stored);
      return { ...screenshot, coalesced: false };
    } catch (error) {
      lease?.end();
      throw error;
    }
  }

  /** One replica captures while the others poll the cache. A waiter stops waiting after half its timeout and captures the page itself. */
  async function takeWithLease(caller: Caller, request: TakeRequest, time: TimeLimit): Promise<TakenScreenshot> {
    const { signal, deadlineAt } = time;
    const vetted = vet(request, signal);
    const { is_cached, timeout } = request.options;
    // Without `is_cached`, no stored screenshot can replace this capture, so replicas have nothing to share.
    if (!is_cached) return await vetted.then(() => takeNew(caller, request, time));
    const { lease, result } = await leaseOrResult(() => acquireLease(leaseName(caller, request)), {
      read: async () => (await Promise.all([read(caller, request, signal), vetted]))[0],
      until: deadlineAt - timeout * 1000 * waitingShare,
      signal,
    });
    return result ? { ...result, coalesced: true } : await takeNew(caller, request, time, lease);
  }

  return {
    async prepare(caller, request) {
      proxies.proxyFor(caller, request.options);
      assertSecretsAllowed(caller, [request]);
      const { options, signIn } = request;
      if (options.session === undefined) return request;
      // A requested sign-in is never shared with another request, and its session may not exist yet.
      return withVersion(request, signIn ? signIn.id : await sessions.versionFor(caller, options.session, request.target));
    },
    find,
    endingGraceMs: parts.endingGraceMs,
    vet: (request, { disconnected, deadline }) => vet(request, AbortSignal.any([disconnected, deadline])),
    async take(caller, request, { disconnected, deadline, deadlineAt }) {
      for (;;) {
        try {
          const { value, joined } = await singleFlight.join(flightKey(caller, request), disconnected, (abandoned) => {
            onAbort(deadline, () => flightDeadlines.add(deadline.reason));
            return takeWithLease(caller, request, { signal: AbortSignal.any([abandoned, deadline]), deadlineAt });
          });
          return { ...value, coalesced: joined || value.coalesced };
        } catch (error) {
          // The flight ended at an earlier deadline than this request's, so start a new one.
          if (deadline.aborted || !flightDeadlines.has(Object(error))) throw error;
        }
      }
    },
  };
}

function createReader({ cache, clock, copyStored }: Pick<TakeParts, "cache" | "clock" | "copyStored">) {
  async function find(caller: Caller, request: TakeRequest): Promise<FoundScreenshot | undefined> {
    const { options, identity, target, maxAgeSeconds } = request;
    const isRestricted = caller.allowedTargets.length > 0;
    if (isRestricted) assertMayCapture(caller, target);
    const entry = maxAgeSeconds > 0 ? await cache.find(caller.userId, identity, maxAgeSeconds) : undefined;
    // The screenshot may have been captured with a key that allows more targets.
    if (!entry || (isRestricted && !mayCapture(caller, entry.finalUrl))) return undefined;
    const { is_cached, cache_ttl, stale_while_revalidate = 0, stale_if_error = 0 } = options;
    const age = (clock.now() - entry.capturedAt) / 1000;
    const freshness = is_cached && age < cache_ttl ? "fresh" : age < stale_while_revalidate ? "stale" : undefined;
    return { entry, freshness, mayReplaceError: age < stale_if_error };
  }

  const readImage = createImageReader(cache);

  /** The cached screenshot with its bytes, for a waiter. */
  async function read(caller: Caller, request: TakeRequest, signal: AbortSignal): Promise<Screenshot | undefined> {
    const found = await find(caller, request);
    if (found?.freshness !== "fresh") return undefined;
    const image = await untilAborted(readImage(found.entry), signal);
    if (!image) return undefined;
    await copyStored(caller, request.options, found.entry);
    const { objectKey, indexKey: _, ...record } = found.entry;
    return { ...record, image, stored: Promise.resolve(objectKey) };
  }

  return { find, read };
}

/** The key covers everything that requests joining a flight share, such as the deadline, the copy and the allowed targets. */
function flightKey({ userId, allowedTargets }: Caller, { identity, options, maxAgeSeconds }: TakeRequest): string {
  const { timeout, on_timeout, is_cached, explain, session_update, destination = "", attachment_name } = options;
  return [
    userId,
    identity.toString("hex"),
    timeout,
    on_timeout,
    is_cached,
    explain,
    session_update,
    maxAgeSeconds > 0,
    destination && `${destination} ${JSON.stringify(attachment_name)}`,
    ...allowedTargets,
  ].join(" ");
}
