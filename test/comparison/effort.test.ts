/** The cost of a comparison: proportional to its input, and within its time limit. */

import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import sharp from "sharp";
import { compare } from "../../src/comparison/compare.ts";
import type { TreeNode } from "../../src/comparison/comparison.ts";
import { groupItems } from "../../src/comparison/draft.ts";
import { createBudget } from "../../src/comparison/effort.ts";
import type { Item } from "../../src/comparison/elements/items.ts";
import { matchItems } from "../../src/comparison/elements/match-items.ts";
import { createOutline } from "../../src/comparison/elements/outline.ts";
import { markedBoxes } from "../../src/comparison/marked-boxes.ts";
import { shiftsOf } from "../../src/comparison/shifts.ts";
import { assertLinear } from "../support/linear.ts";

const box = { x: 0, y: 0, width: 100, height: 20 };

/** Items that look the same, except for the last. */
function items(count: number): Item[] {
  return Array.from({ length: count }, (_, at): Item => {
    const text = at === count - 1 ? "end" : "same";
    const place = { box, node: at, selector: `body > p:nth-child(${at})` };
    return { tag: "p", role: "text", name: text, text, fullText: text, isPicture: false, key: text, ...place };
  });
}

test("a gap in a long run of equal items is found in time linear in the run", () => {
  assertLinear((text) => {
    const count = text.length / 4;
    const { same, removed } = matchItems(items(count), items(count / 2));
    assert.deepEqual([same.length, removed.length], [count / 2, count / 2]);
  }, "x");
});

test("items at the bottom of a deep tree are grouped in time linear in the tree", () => {
  assertLinear((text) => {
    const depth = text.length / 4;
    const node = (at: number): TreeNode => {
      const named = { selector: `${at}`, tag: "div", id: null, classes: [], nth: 1, alt: null, src: null, box };
      return { ...named, parent: at === 0 ? null : Math.min(at - 1, depth) };
    };
    const tree = Array.from({ length: depth + 101 }, (_, at) => node(at));
    const all = items(100).map((item, at) => ({ ...item, node: depth + 1 + at }));
    assert.equal(groupItems(all, all, createOutline(tree))[0]?.items.length, 100);
  }, "x");
});

test("a grid of dots is reduced to at most a thousand boxes that cover all dots", () => {
  const side = 2_000;
  const mask = new Uint8Array(side * side);
  for (let y = 0; y < side; y += 40) for (let x = 0; x < side; x += 40) mask.fill(1, y * side + x, y * side + x + 4);
  const boxes = markedBoxes(mask, side, side, 4);
  assert.ok(boxes.length > 0 && boxes.length <= 1_000, `${boxes.length} boxes`);
  for (let y = 0; y < side; y += 40)
    for (let x = 0; x < side; x += 40)
      assert.ok(
        boxes.some((one) => x >= one.x && y >= one.y && x < one.x + one.width && y < one.y + one.height),
        `${x}, ${y}`,
      );
});

test("with thousands of distinct shifts of overlapping elements, only a few are tried at each place", () => {
  const large = { x: 0, y: 0, width: 7_000, height: 7_000 };
  const [item] = items(1) as [Item];
  const pairs = Array.from({ length: 2_000 }, (_, at) => ({
    before: { ...item, box: large },
    after: { ...item, box: { ...large, x: at, width: 1e9 } },
  }));
  const shifts = shiftsOf({ runs: [], moved: [] }, pairs, { size: large, isBackwards: false });
  assert.equal(shifts(3_500, 3_500).length, 12);
});

test("the unused part of a budget is not returned", () => {
  const may = createBudget(10);
  assert.deepEqual([may(4), may(6), may(1), may(0)], [true, true, false, false]);
});

test("a comparison that takes too long is terminated along with its thread, with a reason", async () => {
  const side = 1_200;
  const noise = () =>
    sharp(randomBytes(side * side * 3), { raw: { width: side, height: side, channels: 3 } })
      .png({ compressionLevel: 0 })
      .toBuffer();
  const [image, other] = await Promise.all([noise(), noise()]);
  const options = { by: "both" as const, threshold: 0, ignore: { boxes: [], selectors: [] } };
  await assert.rejects(compare({ image }, { image: other }, options, undefined, 1), {
    code: "page_too_heavy",
    message: "The comparison was aborted after 1 s: compare smaller screenshots.",
  });
  const left = process.getActiveResourcesInfo().filter((name) => name === "MessagePort" || name === "Worker");
  assert.deepEqual(left, []);
});
