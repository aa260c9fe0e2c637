/** `slice_height` and `slice_overlap`: a long image is split into several, at blank rows. */

import assert from "node:assert/strict";
import { test } from "node:test";
import sharp from "sharp";
import type { OutputOutcome } from "../../src/capture/outputs.ts";
import { longOnly, onlyLong } from "../support/long-only.ts";
import { longestTurnAtBest } from "../support/longest-turn.ts";
import { fileScope } from "../support/scope.ts";
import { documentationPage } from "./documentation-page.ts";
import { captureOf } from "./several-outputs.ts";
import { assertWhole, startSlicing, testFit, testHeights, testLines, testOverlaps } from "./slicing.ts";

const longTest = longOnly(test);
const slicing = await startSlicing(fileScope());
const { site, take, sliced } = slicing;

type Given = Record<string, unknown>;

testHeights(slicing, [
  [300, 200],
  [900, 1000],
]);

testOverlaps(slicing, [60]);

testLines(slicing, [[390, 2, 900]]);

test("text that exists only as pixels, as in a canvas, is not cut", async () => {
  const page = `<body style="margin:0"><canvas id=c width=400 height=3000 style="display:block"></canvas><script>
    const pen = c.getContext("2d"); pen.font = "16px sans-serif"; for (let y = 20; y < 3000; y += 25) pen.fillText("HILL, written at " + y + " by a script", 10, y);
  </script>`;
  const { whole, slices } = await sliced(page, { slice_height: 300 });
  await assertWhole(whole, slices, 300);
  for (const { y } of slices.slice(1))
    assert.ok((y - 20) % 25 >= 4 && (y - 20) % 25 <= 13, `a cut ${(y - 20) % 25} pixels below a baseline`);
});

longTest("a large picture without a blank row is cut exactly at slice_height", async () => {
  const page = `<body style="margin:0"><canvas id=c width=400 height=2000 style="display:block"></canvas><script>
    const pen = c.getContext("2d"); const image = pen.createImageData(400, 2000); let seed = 1;
    for (let at = 0; at < image.data.length; at += 1) { seed = (Math.imul(seed, 1103515245) + 12345) & 0x7fffffff; image.data[at] = at % 4 === 3 ? 255 : (seed >> 16) & 255; }
    pen.putImageData(image, 0, 0)</script>`;
  const { whole, slices } = await sliced(page, { slice_height: 300 });
  await assertWhole(whole, slices, 300);
  assert.deepEqual(
    slices.map(({ y }) => y),
    [0, 300, 600, 900, 1200, 1500, 1800],
  );
});

longTest("a page of 50,000 nodes is cut by its pixels because not all nodes can be inspected", async () => {
  const page = `<body style="margin:0"><div style="overflow:hidden;height:10px">${"<p>a</p>".repeat(26_000)}</div><script>
    for (let n = 0; n < 120; n += 1) document.body.insertAdjacentHTML("beforeend", "<p style='margin:0;font:16px/30px sans-serif'>Line " + n + " of the text</p>");
  </script>`;
  const { whole, slices } = await sliced(page, { slice_height: 300 });
  await assertWhole(whole, slices, 300);
  // Letters without descenders take up rows 8 to 21 of a 30-row line.
  for (const { y } of slices.slice(1)) assert.ok((y - 10) % 30 <= 8 || (y - 10) % 30 >= 21, `a cut ${(y - 10) % 30} pixels into a line`);
});

longTest("the slices of a transparent png are transparent", async () => {
  const page = `<body style="margin:0">${'<p style="margin:0 0 40px">Text without a background</p>'.repeat(40)}`;
  const { whole, slices } = await sliced(page, { slice_height: 300 }, { omit_background: true });
  await assertWhole(whole, slices, 300);
  assert.ok((await sharp(slices[1]?.bytes).stats()).channels[3]?.min === 0);
});

test("viewports, elements and clips are cut; an image shorter than a slice gives a single slice", async () => {
  site.serve({ "/page": documentationPage(5_000) });
  const shared = { url: `${site.origin}/page`, height: 800 };
  const cut = { slice_height: 300 };
  const clip = { clip_x: 0, clip_y: 100, clip_width: 300, clip_height: 1_000 };
  const parts: Given[] = [{ selector: "main" }, ...onlyLong<Given>([{}, clip]), { selector: "h1" }];
  const { outcomes } = await take(shared, [...parts, ...parts.map((part) => ({ ...part, ...cut }))]);
  const captures = outcomes.map((outcome) => captureOf(outcome));
  for (const [index, part] of parts.entries()) {
    const [whole, { slices = [] } = {}] = [captures[index], captures[index + parts.length]];
    assert.ok(whole, JSON.stringify(part));
    await assertWhole(whole, slices, 300);
  }
  assert.equal(captures.at(-1)?.slices?.length, 1);
});

testFit(slicing, ["webp"]);

longTest("max_bytes applies to each slice, image_width to all of them", async () => {
  const slicing = { slice_height: 300, image_width: 200, max_bytes: 4_000, format: "jpeg" };
  const { cut, slices } = await sliced(documentationPage(3_000), slicing);
  assert.equal(cut.width, 200);
  assert.ok(slices.length > 3);
  for (const { bytes } of slices) assert.ok(bytes.length <= 4_000, `${bytes.length}`);
});

function failureOf(outcome: OutputOutcome | undefined) {
  assert.ok(outcome && "failure" in outcome);
  return outcome.failure as { code: string; message: string };
}

const tall = `<body style="margin:0;height:12000px;background:#def">${"<p>Text".repeat(100)}`;

test("a request makes at most 60 images: an output that would exceed this fails, the others are captured", async () => {
  site.serve({ "/page": tall });
  const outputs = [{ slice_height: 100 }, {}, { slice_height: 400 }, { slice_height: 1000 }];
  const { outcomes } = await take({ url: `${site.origin}/page`, full_page: true }, outputs);
  const { code, message } = failureOf(outcomes[0]);
  assert.equal(code, "image_too_large");
  assert.match(message, /12000 pixels high, which requires at least 105 slices, .* produce only 57 more images\. Increase slice_height or/);
  const captured = outcomes.slice(1).map((outcome) => captureOf(outcome).slices?.length ?? 1);
  assert.ok(captured.reduce((sum, count) => sum + count, 0) <= 60, captured.join());
});

longTest("58 slices fit next to two other images if each is nearly as high as the tolerance allows", async () => {
  site.serve({ "/page": tall });
  const { outcomes: most } = await take({ url: `${site.origin}/page`, full_page: true }, [{ slice_height: 181 }, {}, {}]);
  const { slices = [] } = captureOf(most[0]);
  assert.ok(slices.length <= 58 && slices.every(({ height }) => height <= 208), `${slices.length}`);
});

longTest("a blank page of 46 million pixels is cut over several turns of the event loop", async () => {
  site.serve({ "/blank": '<body style="margin:0"><div style="height:3000px">' });
  const options = { url: `${site.origin}/blank`, full_page: true, width: 3840, device_scale_factor: 2, format: "jpeg" };
  const { result, ms } = await longestTurnAtBest(() => take(options, [{ slice_height: 5_000 }]), 60);
  const { slices = [], warnings } = captureOf(result.outcomes[0]);
  assert.equal(slices.length, 2);
  for (const { width, height } of slices) assert.ok(width * height <= 30_000_000, `${width} × ${height}`); // each is raw in memory
  assert.match(warnings.join(), /slice_height was reduced to 3906/);
  assert.ok(ms < 60, `a turn of the event loop took ${ms} ms`);
});

test("documents are not cut: slice_height is ignored with a warning", async () => {
  site.serve({ "/page": documentationPage(500) });
  const { outcomes } = await take({ url: `${site.origin}/page` }, [{ format: "text", slice_height: 500 }]);
  const { warnings, slices } = captureOf(outcomes[0]);
  assert.equal(slices, undefined);
  assert.deepEqual(warnings, ["slice_height and slice_overlap were ignored: text is not an image"]);
});
