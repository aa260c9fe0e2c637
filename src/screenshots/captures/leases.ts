/** Coalesces equal `is_cached` outputs of concurrent requests: one request captures, and the others use its stored result. */

import type { Caller } from "../../accounts/keys/caller.ts";
import type { IndexedEntry } from "../take/cache.ts";
import { type AcquireLease, endOnceStored, type Lease, leaseOrResult } from "../take/lease.ts";
import type { TakeRequest } from "../take/take-options.ts";
import { leaseName, type Signals, type TakeScreenshot, waitingShare } from "../take/take-screenshot.ts";

interface LeaseParts {
  takeScreenshot: Pick<TakeScreenshot, "find">;
  acquireLease: AcquireLease;
}

interface OutputLeases {
  /** Ends the output's lease once `stored` resolves. */
  endOnceStored(output: { request: TakeRequest }, stored: Promise<unknown>): void;
  /** Ends all remaining leases. */
  end(): void;
}

/**
 * Acquires leases for the `is_cached` outputs missing from `known`, and adds to `known` the results that other requests store meanwhile.
 * @throws errors from `find`; the reasons of `signals`.
 */
type LeaseOutputs = (
  caller: Caller,
  outputs: readonly { request: TakeRequest }[],
  known: (object | undefined | { entry: IndexedEntry })[],
  signals: Signals,
) => Promise<OutputLeases>;

export function createLeaseOutputs({ takeScreenshot, acquireLease }: LeaseParts): LeaseOutputs {
  return async (caller, outputs, known, { disconnected, deadline, deadlineAt }) => {
    const leases = new Map<string, Lease | undefined>();
    const end = () => {
      for (const lease of leases.values()) lease?.end();
    };

    async function lease(request: TakeRequest): Promise<IndexedEntry | undefined> {
      const name = leaseName(caller, request);
      if (leases.has(name)) return undefined; // already leased for an equal output of this request
      const read = async () => {
        const found = await takeScreenshot.find(caller, request);
        return found?.freshness === "fresh" ? found.entry : undefined;
      };
      const wait = {
        read,
        until: deadlineAt - request.options.timeout * 1000 * waitingShare,
        signal: AbortSignal.any([disconnected, deadline]),
      };
      const { result, lease } = await leaseOrResult(() => acquireLease(name), wait);
      if (!result) leases.set(name, lease);
      return result;
    }

    // In a fixed order, so that two requests never wait for each other.
    const shared = [...outputs.entries()]
      .filter(([index, { request }]) => !known[index] && request.options.is_cached)
      .sort(([, one], [, other]) => one.request.identity.compare(other.request.identity));
    try {
      for (const [index, { request }] of shared) {
        const entry = await lease(request);
        if (entry) known[index] = { entry };
      }
    } catch (error) {
      end();
      throw error;
    }
    return {
      endOnceStored({ request }, stored) {
        const name = leaseName(caller, request);
        endOnceStored(leases.get(name), stored);
        leases.delete(name);
      },
      end,
    };
  };
}
