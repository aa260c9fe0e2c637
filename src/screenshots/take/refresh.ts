/** Background captures that replace stored screenshots, for `stale_while_revalidate`. */

import type { BaseLogger } from "pino";
import type { Caller } from "../../accounts/keys/caller.ts";
import type { UsageCounts } from "../../accounts/usage/counts.ts";
import { timeoutSignal, untilAborted } from "../../shared/deadline.ts";
import { AppError } from "../../shared/errors.ts";
import { mayBeCached } from "./cache-entry.ts";
import type { AcquireLease, Lease } from "./lease.ts";
import type { TakeRequest } from "./take-options.ts";
import type { TakeScreenshot } from "./take-screenshot.ts";

export interface Refresher {
  /** Returns immediately. Does nothing while the same refresh is running on any replica, or shortly after it failed. */
  start(caller: Caller, request: TakeRequest): void;
  /** Waits for all refreshes; when `signal` aborts, aborts the rest and records them as failed. No refresh starts afterwards. */
  close(signal: AbortSignal): Promise<void>;
}

interface RefresherParts {
  takeScreenshot: Pick<TakeScreenshot, "take">;
  acquireLease: AcquireLease;
  usage: Pick<UsageCounts, "record">;
  log: BaseLogger;
}

/** Without a pause, each request would start another capture of a page that is down. */
const pauseAfterFailureMs = 10_000;
const never = new AbortController().signal;

export function createRefresher({ takeScreenshot, acquireLease, usage, log }: RefresherParts): Refresher {
  const running = new Set<Promise<void>>();
  const closing = new AbortController();

  async function refresh(caller: Caller, request: TakeRequest): Promise<void> {
    const lease = await acquireLease(`refresh:${caller.userId}:${request.identity.toString("base64url")}`);
    if (!lease) return;
    const { timeout } = request.options;
    const deadline = AbortSignal.any([closing.signal, timeoutSignal(timeout * 1000, () => new AppError("target_timeout"))]);
    const signals = { disconnected: never, deadline, deadlineAt: performance.now() + timeout * 1000 };
    // A partial screenshot would not replace the stored one.
    const complete: TakeRequest = { ...request, options: { ...request.options, on_timeout: "error" } };
    try {
      const { coalesced, stored, verdict, confirmCharge } = await takeScreenshot.take(caller, complete, signals);
      confirmCharge?.(); // there is no response to wait for
      if (!coalesced) usage.record(caller, "captured", 0);
      stored.then((objectKey) => endLease(lease, objectKey !== null && mayBeCached(verdict)));
    } catch (error) {
      usage.record(caller, "failed", 0);
      log.warn({ err: error, host: request.target.host }, "failed to replace a stored screenshot in the background");
      endLease(lease, false);
    }
  }

  return {
    start(caller, request) {
      if (closing.signal.aborted) return;
      const refreshing = refresh(caller, request);
      running.add(refreshing);
      refreshing.finally(() => running.delete(refreshing));
    },
    async close(signal) {
      await untilAborted(Promise.all(running), signal).catch(() => {}); // the deadline has passed
      closing.abort(new AppError("unavailable", { message: "The service is shutting down." }));
      await Promise.all(running);
    },
  };
}

/** Ends the lease immediately if the stored screenshot was replaced, otherwise after a pause. */
function endLease(lease: Lease, isReplaced: boolean): void {
  if (isReplaced) lease.end();
  else setTimeout(() => lease.end(), pauseAfterFailureMs).unref();
}
