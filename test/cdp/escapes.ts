/** Tries ways for a page to reach the network, first in an unfiltered browser, then in a lent one. */

import { type Outcome, tryWays } from "../egress/escapes/attempt.ts";
import { startUnfiltered } from "../egress/escapes/browsers.ts";
import { listenForMdns } from "../egress/escapes/multicast.ts";
import { createOuter } from "../egress/escapes/outer.ts";
import type { Way } from "../egress/escapes/way.ts";
import { lastFirst, type Scope } from "../support/scope.ts";
import { startLent } from "./lent-browser.ts";

/** An attempt that takes longer than this without the filter counts as failed. */
const watchMs = 5_000;
/** In the lent browser, every attempt is watched for as long as the slowest one took without the filter, plus this margin. */
const marginMs = 10_000;

export interface Escapes {
  /** Names of the ways that reach their secrets in the unfiltered browser, and in the lent one. */
  unfiltered: string[];
  lent: string[];
  /** Number of ways that the lent browser's proxy refused. */
  refused: number;
}

export async function tryLent(outerScope: Scope, ways: readonly Way[]): Promise<Escapes> {
  const t = lastFirst(outerScope);
  const outer = await createOuter(t);
  const mdns = await listenForMdns(t);
  const unfiltered = await tryWays(t, ways, { browser: await startUnfiltered(t, outer), outer, mdns, watchMs });
  const slowestMs = Math.max(...unfiltered.map(({ visitor, afterMs }) => (visitor ? afterMs : 0)));
  const lent = await tryWays(t, ways, { browser: await startLent(t, outer), outer, mdns, watchMs: slowestMs + marginMs });
  const reached = (outcomes: Outcome[]) => ways.filter((_, index) => outcomes[index]?.visitor).map(({ name }) => name);
  return { unfiltered: reached(unfiltered), lent: reached(lent), refused: lent.filter(({ refused }) => refused).length };
}
