/** `slice_height` and `slice_overlap`: a long image as several, cut where nothing is. */

import assert from "node:assert/strict";
import { test } from "node:test";
import sharp from "sharp";
import type { Outcome } from "../../src/capture/capture-outputs.ts";
import type { Slice } from "../../src/capture/capture-request.ts";
import { fileScope } from "../support/scope.ts";
import { createSite } from "../support/site.ts";
import { documentationPage, linesOf } from "./documentation-page.ts";
import { captureOf, startOutputs } from "./several-outputs.ts";

const scope = fileScope();
const site = await createSite(scope);
const { take } = await startOutputs(scope, site.host, { MAX_FULL_PAGE_HEIGHT: "60000" });

type Given = Record<string, unknown>;

/** The whole image as png, and its slices. */
async function sliced(page: string, slicing: Given, shared: Given = {}) {
  site.serve({ "/page": page });
  const options = { url: `${site.origin}/page`, full_page: true, ...shared };
  const { outcomes } = await take(options, [{}, { format: "png", ...slicing }]);
  const [whole, cut] = outcomes.map((outcome) => captureOf(outcome));
  assert.ok(whole && cut?.slices);
  return { whole, cut, slices: cut.slices };
}

/** Fails unless the slices have the heights that were asked for and are the whole image, pixel by pixel. */
async function assertWhole(
  whole: { bytes: Buffer; width: number | null; height: number | null },
  slices: Slice[],
  height: number,
  overlap = 0,
) {
  const raw = await sharp(whole.bytes, { limitInputPixels: false }).raw().toBuffer({ resolveWithObject: true });
  const stride = raw.info.width * raw.info.channels;
  let y = 0;
  for (const [index, slice] of slices.entries()) {
    const isLast = index === slices.length - 1;
    assert.equal(slice.y, y, `the offset of slice ${index + 1}`);
    assert.ok(slice.height <= height * 1.15 && (isLast || slice.height >= height * 0.85), `${slice.height} for ${height}`);
    const { data, info } = await sharp(slice.bytes).raw().toBuffer({ resolveWithObject: true });
    assert.deepEqual([info.width, info.height, info.channels], [slice.width, slice.height, raw.info.channels]);
    assert.equal(slice.width, whole.width);
    assert.ok(data.equals(raw.data.subarray(y * stride, (y + slice.height) * stride)), `the pixels of slice ${index + 1}`);
    y += slice.height - (isLast ? 0 : overlap);
  }
  assert.equal(y, whole.height);
}

for (const [pixels, height] of [
  [300, 200],
  [900, 1000],
  [2_500, 333],
  [6_000, 1000],
  [20_000, 1568],
  [60_000, 1150],
] as const)
  test(`a page of ${pixels} px in slices of ${height}: their heights hold to the pixel, and together they are the page`, async () => {
    const { whole, slices } = await sliced(documentationPage(pixels), { slice_height: height }, { full_page_max_height: pixels });
    assert.ok(Math.abs((whole.height ?? 0) - pixels) <= 100, `${whole.height}`);
    await assertWhole(whole, slices, height);
  });

for (const overlap of [1, 60, 150])
  test(`slice_overlap: each slice repeats exactly the last ${overlap} rows of the one before`, async () => {
    const { whole, slices } = await sliced(documentationPage(4_000), { slice_height: 300, slice_overlap: overlap });
    assert.ok(slices.length > 10);
    await assertWhole(whole, slices, 300, overlap);
  });

for (const [width, scale, height] of [
  [1280, 1, 800],
  [390, 2, 900],
  [768, 3, 1500],
  [1280, 1, 250],
] as const)
  test(`no cut goes through a line of text of documentation ${width} px wide, at scale ${scale} in slices of ${height}`, async () => {
    site.serve({ "/page": documentationPage(9_000) });
    const shared = { url: `${site.origin}/page`, full_page: true, width, device_scale_factor: scale };
    const { outcomes } = await take(shared, [{ slice_height: height }, { format: "html" }]);
    const lines = linesOf(captureOf(outcomes[1]).bytes.toString());
    const cuts = (captureOf(outcomes[0]).slices ?? []).slice(1).map(({ y }) => y / scale);
    assert.ok(lines.length > 100 && cuts.length >= 5, `${lines.length} lines, ${cuts.length} cuts`);
    for (const cut of cuts)
      for (const [top, bottom, text] of lines)
        assert.ok(cut <= top + 0.5 || cut >= bottom - 0.5, `a cut at ${cut} in ${top}–${bottom}: ${text}`);
  });

test("text that only the pixels show, as in a canvas, is not cut either", async () => {
  const page = `<body style="margin:0"><canvas id=c width=400 height=3000 style="display:block"></canvas><script>
    const pen = c.getContext("2d"); pen.font = "16px sans-serif"; for (let y = 20; y < 3000; y += 25) pen.fillText("HILL, written at " + y + " by a script", 10, y);
  </script>`;
  const { whole, slices } = await sliced(page, { slice_height: 300 });
  await assertWhole(whole, slices, 300);
  for (const { y } of slices.slice(1))
    assert.ok((y - 20) % 25 >= 4 && (y - 20) % 25 <= 13, `a cut ${(y - 20) % 25} pixels below a baseline`);
});

test("one large picture without an empty row is cut at the height itself", async () => {
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

for (const scale of [2, 3])
  test(`at scale ${scale}, slice_height is in pixels of the image`, async () => {
    const { whole, slices } = await sliced(
      documentationPage(2_000),
      { slice_height: 700, slice_overlap: 33 },
      { device_scale_factor: scale },
    );
    assert.ok((whole.height ?? 0) > 1_900 * scale);
    await assertWhole(whole, slices, 700, 33);
  });

test("a page of 50,000 nodes is cut, too: where not all of them can be looked at, its pixels decide", async () => {
  const page = `<body style="margin:0"><div style="overflow:hidden;height:10px">${"<p>a</p>".repeat(26_000)}</div><script>
    for (let n = 0; n < 120; n += 1) document.body.insertAdjacentHTML("beforeend", "<p style='margin:0;font:16px/30px sans-serif'>Line " + n + " of the text</p>");
  </script>`;
  const { whole, slices } = await sliced(page, { slice_height: 300 });
  await assertWhole(whole, slices, 300);
  // Letters without descenders take the rows 8 to 21 of a line's 30.
  for (const { y } of slices.slice(1)) assert.ok((y - 10) % 30 <= 8 || (y - 10) % 30 >= 21, `a cut ${(y - 10) % 30} pixels into a line`);
});

test("a transparent png stays so in its slices", async () => {
  const page = `<body style="margin:0">${'<p style="margin:0 0 40px">Text without a background</p>'.repeat(40)}`;
  const { whole, slices } = await sliced(page, { slice_height: 300 }, { omit_background: true });
  await assertWhole(whole, slices, 300);
  assert.ok((await sharp(slices[1]?.bytes).stats()).channels[3]?.min === 0);
});

test("a viewport, an element and a clip are cut, too; one that is lower than a slice is a single one", async () => {
  site.serve({ "/page": documentationPage(5_000) });
  const shared = { url: `${site.origin}/page`, height: 800 };
  const cut = { slice_height: 300 };
  const parts: Given[] = [{}, { selector: "main" }, { clip_x: 0, clip_y: 100, clip_width: 300, clip_height: 1_000 }, { selector: "h1" }];
  const { outcomes } = await take(shared, [...parts, ...parts.map((part) => ({ ...part, ...cut }))]);
  const captures = outcomes.map((outcome) => captureOf(outcome));
  for (const [index, part] of parts.entries()) {
    const [whole, { slices = [] } = {}] = [captures[index], captures[index + parts.length]];
    assert.ok(whole, JSON.stringify(part));
    await assertWhole(whole, slices, 300);
  }
  assert.equal(captures.at(-1)?.slices?.length, 1);
});

test("fit=model bounds each slice; nothing is scaled down for the length of the page", async () => {
  for (const format of ["webp", "jpeg", "png", "avif"]) {
    const { cut, slices } = await sliced(documentationPage(5_000), { slice_height: 1500, fit: "model", format }, { width: 1280 });
    assert.equal(cut.width, 1280);
    assert.ok(slices.length >= (cut.height ?? 0) / 898 && slices.length > 1);
    for (const { bytes, width, height } of slices)
      assert.ok(width === 1280 && width * height <= 1_150_000 && height <= 1568 && bytes.length <= 5e6, `${width} × ${height}`);
    assert.ok(cut.warnings.includes("to fit, slices are at most 898 pixels high"), cut.warnings.join());
  }
});

test("max_bytes holds for each slice, and image_width for all", async () => {
  const slicing = { slice_height: 300, image_width: 200, max_bytes: 4_000, format: "jpeg" };
  const { cut, slices } = await sliced(documentationPage(3_000), slicing);
  assert.equal(cut.width, 200);
  assert.ok(slices.length > 3);
  for (const { bytes } of slices) assert.ok(bytes.length <= 4_000, `${bytes.length}`);
});

function failureOf(outcome: Outcome | undefined) {
  assert.ok(outcome && "failure" in outcome);
  return outcome.failure as { code: string; message: string };
}

test("a request has at most 60 images: an output that would exceed it fails, the others are captured", async () => {
  site.serve({ "/page": `<body style="margin:0;height:12000px;background:#def">${"<p>Text".repeat(100)}` });
  const outputs = [{ slice_height: 100 }, {}, { slice_height: 400 }, { slice_height: 1000 }];
  const { outcomes } = await take({ url: `${site.origin}/page`, full_page: true }, outputs);
  const { code, message } = failureOf(outcomes[0]);
  assert.equal(code, "image_too_large");
  assert.match(message, /12000 pixels high, which takes at least 105 slices, .* only 57 more images\. Send a larger slice_height, or/);
  const captured = outcomes.slice(1).map((outcome) => captureOf(outcome).slices?.length ?? 1);
  assert.ok(captured.reduce((sum, count) => sum + count, 0) <= 60, captured.join());
  // 58 slices fit if each is nearly as high as the tolerance allows.
  const { outcomes: most } = await take({ url: `${site.origin}/page`, full_page: true }, [{ slice_height: 181 }, {}, {}]);
  const { slices = [] } = captureOf(most[0]);
  assert.ok(slices.length <= 58 && slices.every(({ height }) => height <= 208), `${slices.length}`);
});

test("a document is not cut: slice_height is ignored with a warning", async () => {
  site.serve({ "/page": documentationPage(500) });
  const { outcomes } = await take({ url: `${site.origin}/page` }, [{ format: "text", slice_height: 500 }]);
  const { warnings, slices } = captureOf(outcomes[0]);
  assert.equal(slices, undefined);
  assert.deepEqual(warnings, ["slice_height and slice_overlap were ignored: text is not an image"]);
});
