/** How runs affect their watch: alerts, learning, failures. */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Comparison, Region } from "../../src/comparison/comparison.ts";
import { capturedRun } from "../../src/watches/compare-run.ts";
import { type ComparedRun, decide } from "../../src/watches/verdict.ts";
import type { Watch } from "../../src/watches/watch-records.ts";

const watching: Watch = {
  id: "watch",
  userId: "user",
  keyId: null,
  name: "Shop",
  url: "https://example.com/",
  options: {},
  request: Buffer.alloc(0),
  schedule: { every: "1d", cron: null, timeZone: "UTC" },
  compareBy: "both",
  threshold: 0,
  ignoreSelectors: [],
  webhookUrl: null,
  learned: 3,
  isFailing: false,
  acceptedRunId: "accepted",
  reportedRunId: null,
  latestRunId: "accepted",
  seen: [],
  nextRunAt: new Date(),
  createdAt: new Date(),
};
const shot = { screenshotId: "image" };
const box = { x: 1, y: 2, width: 30, height: 40 };
const region = (selector: string | null): Region => ({
  kind: "changed",
  before: box,
  after: box,
  selector,
  name: "Price",
  textBefore: null,
  textAfter: null,
});

function compared(hashes: string[], more: Partial<Comparison> = {}, differsFromReported = true): ComparedRun {
  const size = { width: 100, height: 100 };
  const regions = hashes.map((hash) => region(hash));
  const comparison = { isChanged: hashes.length > 0, changedShare: 0.1, sizeBefore: size, sizeAfter: size, regions, ...more };
  return { comparison, hashes, differsFromReported };
}

const after = (watch: Watch, change: Partial<Watch>): Watch => ({ ...watch, ...change });
const error = { code: "target_timeout", message: "Too slow." };

test("the first run becomes the baseline, and the next two learn and report nothing, whatever differs", () => {
  const fresh = after(watching, { learned: 0, acceptedRunId: null, latestRunId: null });
  const first = decide(fresh, "one", shot, undefined);
  assert.deepEqual(
    [first.ended.status, first.ended.isAccepted, first.change.acceptedRunId, first.change.learned],
    ["learning", true, "one", 1],
  );
  const one = after(fresh, first.change);
  const second = decide(one, "two", shot, compared([".slide"], { regions: [region(".slide"), region(null)] }));
  assert.deepEqual([second.ended.status, second.ended.isReported, second.change.learned], ["learning", false, 2]);
  assert.deepEqual(second.learned, [
    { selector: ".slide", box: null, name: "Price" },
    { selector: null, box, name: "Price" },
  ]);
  assert.equal(second.change.acceptedRunId, undefined);
  assert.equal(decide(after(one, second.change), "three", shot, compared([])).change.learned, 3);
});

test("moved regions are learned at both positions; regions covering nearly the whole page are not learned", () => {
  const learning = after(watching, { learned: 1 });
  const old = { x: 60, y: 2, width: 30, height: 40 };
  const moved: Region = { ...region(".card:nth-child(1)"), kind: "moved", before: old };
  const page: Region = { ...region("html"), before: null, after: { x: 0, y: 0, width: 100, height: 98 } };
  const { learned } = decide(learning, "two", shot, compared(["a"], { regions: [moved, page] }));
  assert.deepEqual(learned, [
    { selector: ".card:nth-child(1)", box: null, name: "Price" },
    { selector: null, box: old, name: "Price" },
  ]);
});

test("a change is reported once; a change in another region is reported, an unchanged page isn't", () => {
  const first = decide(watching, "one", shot, compared(["a"]));
  assert.deepEqual([first.ended.status, first.ended.isReported, first.change.reportedRunId], ["changed", true, "one"]);
  const reported = after(watching, first.change);
  assert.equal(decide(reported, "two", shot, compared(["a"])).ended.isReported, false);
  assert.equal(decide(reported, "two", shot, compared(["b"], {}, false)).ended.isReported, false, "it looks like the reported run");
  const more = decide(reported, "two", shot, compared(["a", "b"]));
  assert.deepEqual([more.ended.isReported, more.change.seen], [true, ["a", "b"]]);
});

test("failures are reported once until a run succeeds, even while learning, and teach the watch nothing", () => {
  const first = decide(watching, "one", { error }, undefined);
  assert.deepEqual([first.ended.status, first.ended.isReported, first.ended.error], ["failed", true, error]);
  const failing = after(watching, first.change);
  assert.equal(decide(failing, "two", { error }, undefined).ended.isReported, false);
  const well = decide(failing, "three", shot, compared([]));
  assert.deepEqual([well.ended.status, well.change.isFailing], ["unchanged", false]);
  assert.equal(decide(after(failing, well.change), "four", { error }, undefined).ended.isReported, true);
  const learning = decide(after(watching, { learned: 1 }), "one", { error }, undefined);
  assert.deepEqual([learning.change.learned, learning.change.latestRunId], [undefined, undefined]);
});

test("the number of remembered regions is bounded, and the oldest are dropped", () => {
  const full = after(watching, { seen: Array.from({ length: 500 }, (_, index) => `old ${index}`) });
  const { seen = [] } = decide(full, "one", shot, compared(["new"])).change;
  assert.deepEqual([seen.length, seen[0], seen.at(-1)], [500, "old 1", "new"]);
});

test("a run fails if its elements can't be listed, because muted regions couldn't be excluded, or if its image is too large", () => {
  const facts = { format: "png", width: 1, height: 1, targetStatus: 200, finalUrl: "", title: "", warnings: [], capturedAt: 0 };
  const file = { id: "image", bytes: 1, width: 1, height: 1, etag: "", y: undefined, isStored: true };
  const of = (output: object, verdict: object = { kind: "ok", confidence: 1, reasons: [] }, image: object = file) =>
    capturedRun({
      id: "run",
      status: "done",
      result: { capture: { outputs: [{ name: "image", ...facts, verdict, files: [image] }, output] } },
      storedIds: [],
      createdAt: new Date(),
      startedAt: null,
      endedAt: new Date(),
      batchId: null,
      position: null,
      name: null,
      depth: null,
    });
  assert.deepEqual(of({ name: "elements", failure: { ...error, retryable: true } }), { error });
  assert.deepEqual(of({ name: "elements", ...facts, files: [{ ...file, id: "list" }] }), { screenshotId: "image", elementsId: "list" });
  assert.deepEqual(of({ name: "elements", ...facts, files: [{ ...file, isStored: false }] }), {
    error: { code: "unavailable", message: "The screenshot could not be stored." },
  });
  const huge = of({ name: "elements", ...facts, files: [{ ...file, id: "list" }] }, undefined, { ...file, width: 2_560, height: 30_000 });
  assert.deepEqual(huge, {
    error: {
      code: "image_too_large",
      message: "The image has 77 megapixels, but at most 50 can be compared: capture less of the page.",
    },
  });
  const parked = of(
    { name: "elements", failure: { ...error, retryable: true } },
    { kind: "parked", confidence: 1, reasons: ["It is for sale."] },
  );
  assert.deepEqual(parked, { error: { code: "unwanted_page", message: "The page is not what was requested: parked. It is for sale." } });
});
