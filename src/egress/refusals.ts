/** Records a capture's refused and failed connections, and detects a flood of them. */

import type { ConnectFailure } from "./dial.ts";
import type { RefusalReason } from "./vet.ts";

/** A connection that a page requested but did not get. */
export interface RefusedConnection {
  /** As in a URL; empty if the request could not be parsed. */
  host: string;
  port: number;
  reason: RefusalReason | ConnectFailure | "byte_budget" | "socket_limit" | "invalid_request";
  /** If set, page and caller get the error for a name that does not exist. */
  asUnresolved?: true;
}

export interface RefusalLimits {
  /** Failed connections allowed per capture. A page can cause thousands per second, and each costs this process about 0.3 ms. */
  refusalsMax: number;
  refusalsPerSecondMax: number;
}

export interface Refusals {
  /** Records `refusal`; false once there are more than the limits allow. */
  add(refusal: RefusedConnection): boolean;
  /** Distinct refusals in order of occurrence, at most 100. */
  list(): readonly RefusedConnection[];
}

const listedMax = 100;

/** @param report called for every refusal; `isNew` is false if it is already listed, or if the list is full. */
export function createRefusals(limits: RefusalLimits, report: (refusal: RefusedConnection, isNew: boolean) => void): Refusals {
  const listed = new Map<string, RefusedConnection>();
  let total = 0;
  let second = { startedAt: performance.now(), count: 0 };

  const isWithinLimits = () => {
    const now = performance.now();
    if (now - second.startedAt >= 1_000) second = { startedAt: now, count: 0 };
    second.count += 1;
    total += 1;
    return total <= limits.refusalsMax && second.count <= limits.refusalsPerSecondMax;
  };

  return {
    add: (refusal) => {
      const key = `${refusal.host} ${refusal.port} ${refusal.reason}`;
      const isNew = listed.size < listedMax && !listed.has(key);
      if (isNew) listed.set(key, refusal);
      report(refusal, isNew);
      return isWithinLimits();
    },
    list: () => [...listed.values()],
  };
}
