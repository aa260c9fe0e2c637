/** Waiting for thousands of requests, which a page can make at once, doesn't keep the process busy. The tab is simulated. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as after } from "node:timers/promises";
import type { Tab } from "../../src/browser/tab.ts";
import { arrival, type Settled, settle } from "../../src/capture/in-page/settle.ts";
import type { MainFrame } from "../../src/capture/loading/main-frame.ts";
import { createReadiness } from "../../src/capture/loading/readiness.ts";
import type { PageClock } from "../../src/capture/page-clock.ts";
import { longestTurnAtBest } from "../support/longest-turn.ts";

const site = "http://page.test/";
const pending = (count: number, of: string) =>
  Array.from({ length: count }, (_, at) => ({ url: `${site}${"a".repeat(500)}${at}${of}`, type: "Image", mimeType: "" }));

interface Waited {
  /** Pending requests of the main frame and of a frame; they never get a response. */
  own?: number;
  inFrame?: number;
  /** Time that the browser takes to list them. */
  listMs?: number;
  url?: string;
}

/** Waits until the page is ready. `awaited` are the numbers of URLs that the main frame waited for, `lists` that of calls for the list. */
async function wait({ own = 0, inFrame = 0, listMs = 0, url = site }: Waited) {
  const child = { frame: {}, resources: pending(inFrame, "f") };
  const tree = JSON.stringify({ frameTree: { frame: {}, resources: pending(own, "m"), childFrames: [child] } });
  const page = { elsewhere: [], isInert: false, mayChange: false, moves: false, isStill: true } satisfies Partial<Settled>;
  const awaited: number[] = [];
  let lists = 0;
  const tab = {
    send: async () => {
      lists += 1;
      await after(listMs);
      return JSON.parse(tree);
    },
    evaluate: async () => 0, // no inline data
    waitFor: async (script: unknown, asked: unknown[]) => {
      if (script === settle) return page;
      assert.equal(script, arrival);
      awaited.push(asked.length);
      return undefined;
    },
    pause: (ms: number) => after(ms),
    within: async (_: number, work: Promise<unknown>) => {
      await work;
      return true;
    },
  };
  const mainFrame = { documents: () => 1, url: () => url, nextDocument: async () => false };
  const readiness = createReadiness(tab as unknown as Tab, new URL(site), mainFrame as unknown as MainFrame);
  readiness.useClock({ runLoaded: async () => false } as unknown as PageClock); // the page changes only while its clock is running
  await readiness.within(10_000);
  return { awaited, lists };
}

test("pending requests of the page and of its frame are compared in short turns of the event loop", async () => {
  const { ms } = await longestTurnAtBest(() => wait({ own: 5_000, inFrame: 5_000 }), 100);
  assert.ok(ms < 100, `a turn of ${ms} ms`);
});

test("pending requests of a page whose URL has megabytes are compared with it in short turns", async () => {
  const { ms } = await longestTurnAtBest(() => wait({ own: 2_000, url: `${site}${"a".repeat(1_900_000)}` }), 100);
  assert.ok(ms < 100, `a turn of ${ms} ms`);
});

test("of very many pending requests, only some are waited for", async () => {
  assert.deepEqual((await wait({ own: 3_000 })).awaited, [2_000]);
  assert.deepEqual((await wait({ own: 30 })).awaited, [30]);
});

test("the longer the list of pending requests takes, the less often it is asked for", async () => {
  const [brief, long] = await Promise.all([wait({ inFrame: 1 }), wait({ inFrame: 1, listMs: 100 })]);
  assert.ok(long.lists < 8 && long.lists < brief.lists, `${long.lists} and ${brief.lists} lists`);
});
