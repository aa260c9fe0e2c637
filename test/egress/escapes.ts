/** Tries ways for a page to reach the network, first in an unfiltered browser, then behind the egress filter. */

import { parseProxyUrl } from "../../src/shared/proxy-url.ts";
import { startProxy } from "../support/proxies.ts";
import { lastFirst, type Scope } from "../support/scope.ts";
import { type Outcome, tryWays } from "./escapes/attempt.ts";
import { startFiltered, startUnfiltered } from "./escapes/browsers.ts";
import { listenForMdns } from "./escapes/multicast.ts";
import { createOuter } from "./escapes/outer.ts";
import type { Way } from "./escapes/way.ts";

/** An attempt that takes longer than this without the filter counts as failed. */
const watchMs = 5_000;
/** Behind the filter, every attempt is watched for as long as the slowest one took without it, plus this margin. */
const marginMs = 1_000;

export interface Escapes {
  /** Names of the ways that reach their secrets without the filter, and behind it. */
  without: string[];
  behind: string[];
  /** Destinations that the proxy in our own network was asked for. */
  asked: string[];
  /** Number of ways that the egress filter refused. */
  refused: number;
  /** One line for each way. */
  table: string;
}

/** @param protocol of a proxy in our own network that the filtered browser connects through; by default it connects directly. */
export async function tryEscapes(outerScope: Scope, ways: readonly Way[], protocol?: "http" | "socks5"): Promise<Escapes> {
  const t = lastFirst(outerScope);
  const outer = await createOuter(t);
  const mdns = await listenForMdns(t);
  const without = await tryWays(t, ways, { browser: await startUnfiltered(t, outer), outer, mdns, watchMs });
  const slowestMs = Math.max(...without.map(({ visitor, afterMs }) => (visitor ? afterMs : 0)));
  const proxy = protocol && (await startProxy(t, protocol, { dial: outer.dial }));
  const upstream = proxy && parseProxyUrl(proxy.url, true);
  const behind = await tryWays(t, ways, { browser: await startFiltered(t, outer, upstream), outer, mdns, watchMs: slowestMs + marginMs });
  const reached = (outcomes: Outcome[]) => ways.filter((_, index) => outcomes[index]?.visitor).map(({ name }) => name);
  return {
    without: reached(without),
    behind: reached(behind),
    asked: proxy?.asked ?? [],
    refused: behind.filter((outcome) => outcome.refused).length,
    table: table(ways, without, behind),
  };
}

function table(ways: readonly Way[], without: Outcome[], behind: Outcome[]): string {
  const line = (way: string, ...columns: string[]) => [way.padEnd(44), ...columns.map((column) => column.padEnd(16))].join(" ").trimEnd();
  const lines = ways.map(({ name }, index) => {
    const { visitor, afterMs } = without[index] as Outcome;
    const there = behind[index] as Outcome;
    const stopped = there.refused ? "refused" : there.opened ? "-" : "not opened";
    return line(name, visitor ? `${visitor} in ${Math.round(afterMs)} ms` : "-", there.visitor ?? "-", stopped);
  });
  return [line("way", "unfiltered", "filtered", "by the proxy"), ...lines].join("\n");
}
