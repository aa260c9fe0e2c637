/** Every known way for a page to reach the network, tried in a real Chromium without the egress filter and then behind it. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { lastFirst } from "../support/scope.ts";
import { type Outcome, tryWays } from "./escapes/attempt.ts";
import { startFiltered, startUnfiltered } from "./escapes/browsers.ts";
import { listenForMdns } from "./escapes/multicast.ts";
import { createOuter } from "./escapes/outer.ts";
import { ways } from "./escapes/ways.ts";

/** An attempt that takes longer without the filter counts as failed. */
const watchMs = 5_000;
/** Behind the filter every attempt is watched for as long as the slowest one took without it, plus this. */
const marginMs = 1_000;

test("at least sixty ways to reach a loopback secret work without the egress filter, and none behind it", {
  timeout: 110_000,
}, async (outerScope) => {
  const t = lastFirst(outerScope);
  const outer = await createOuter(t);
  const mdns = await listenForMdns(t);
  const without = await tryWays(t, ways, { browser: await startUnfiltered(t, outer), outer, mdns, watchMs });
  const slowestMs = Math.max(...without.map(({ visitor, afterMs }) => (visitor ? afterMs : 0)));
  const behind = await tryWays(t, ways, { browser: await startFiltered(t, outer), outer, mdns, watchMs: slowestMs + marginMs });
  console.log(table(without, behind));

  const reached = (outcomes: Outcome[]) => ways.filter((_, index) => outcomes[index]?.visitor).map(({ name }) => name);
  assert.ok(reached(without).length >= 60, `only ${reached(without).length} ways reach the secret without the filter`);
  assert.deepEqual(reached(behind), []);
  const refused = behind.filter((outcome) => outcome.refused).length;
  assert.ok(refused >= 60, `only ${refused} ways were refused by the lane, so the others may have stopped for another reason`);
});

function table(without: Outcome[], behind: Outcome[]): string {
  const line = (way: string, ...columns: string[]) => [way.padEnd(44), ...columns.map((column) => column.padEnd(16))].join(" ").trimEnd();
  const lines = ways.map(({ name }, index) => {
    const { visitor, afterMs } = without[index] as Outcome;
    const there = behind[index] as Outcome;
    const stopped = there.refused ? "refused" : there.opened ? "-" : "not opened";
    return line(name, visitor ? `${visitor} in ${Math.round(afterMs)} ms` : "-", there.visitor ?? "-", stopped);
  });
  return [line("way", "unfiltered", "filtered", "by the lane"), ...lines].join("\n");
}
