/** The default of MAX_CONCURRENT_SCREENSHOTS. */

import assert from "node:assert/strict";
import { availableParallelism, totalmem } from "node:os";
import { test } from "node:test";
import { defaultSlots } from "../../src/browser/default-slots.ts";
import { longOnly } from "../support/long-only.ts";
import { startService } from "../support/service.ts";

const gigabytes = (count: number) => count * 1024 ** 3;

test("four slots per core, limited by memory", () => {
  const machines: [cores: number, memoryBytes: number, slots: number][] = [
    [1, gigabytes(8), 4],
    [2, gigabytes(8), 8],
    [16, gigabytes(64), 64],
    [16, gigabytes(4), 16],
    [1, gigabytes(0.1), 1],
    [128, gigabytes(512), 200],
  ];
  for (const [cores, memoryBytes, slots] of machines) assert.equal(defaultSlots({ cores, memoryBytes }), slots);
});

longOnly(test)("the setting overrides the machine's default", async (t) => {
  const maxOf = async (setting: string) => {
    const { origin } = await startService(t, { MAX_CONCURRENT_SCREENSHOTS: setting });
    const { checks } = (await (await fetch(`${origin}/health`)).json()) as { checks: { name: string; details: { max: number } }[] };
    return checks.find(({ name }) => name === "browser")?.details.max;
  };
  const machine = { cores: availableParallelism(), memoryBytes: Math.min(process.constrainedMemory() || totalmem(), totalmem()) };
  assert.equal(await maxOf(""), defaultSlots(machine));
  assert.equal(await maxOf("7"), 7);
});
