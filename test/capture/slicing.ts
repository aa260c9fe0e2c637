/** A long image split into several: captures to compare with the whole image, and tables of sizes. */

import assert from "node:assert/strict";
import { test } from "node:test";
import sharp from "sharp";
import type { Slice } from "../../src/capture/image/spec.ts";
import type { Scope } from "../support/scope.ts";
import { createSite } from "../support/site.ts";
import { documentationPage, linesOf } from "./documentation-page.ts";
import { captureOf, startOutputs } from "./several-outputs.ts";

type Given = Record<string, unknown>;

export async function startSlicing(scope: Scope) {
  const site = await createSite(scope);
  const { take } = await startOutputs(scope, site.host, { MAX_FULL_PAGE_HEIGHT: "60000" });
  return {
    site,
    take,
    /** The whole image as png, and its slices. */
    async sliced(page: string, slicing: Given, shared: Given = {}) {
      site.serve({ "/page": page });
      const options = { url: `${site.origin}/page`, full_page: true, ...shared };
      const { outcomes } = await take(options, [{}, { format: "png", ...slicing }]);
      const [whole, cut] = outcomes.map((outcome) => captureOf(outcome));
      assert.ok(whole && cut?.slices);
      return { whole, cut, slices: cut.slices };
    },
  };
}

type Slicing = Awaited<ReturnType<typeof startSlicing>>;

/** Fails unless the slices have the requested heights and together are the whole image, pixel for pixel. */
export async function assertWhole(
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

/** @param sizes heights of the page and of a slice. */
export function testHeights({ sliced }: Slicing, sizes: readonly (readonly [pixels: number, height: number])[]): void {
  for (const [pixels, height] of sizes)
    test(`a page of ${pixels} px in slices of ${height}: heights are exact to the pixel, and together the slices are the page`, async () => {
      const { whole, slices } = await sliced(documentationPage(pixels), { slice_height: height }, { full_page_max_height: pixels });
      assert.ok(Math.abs((whole.height ?? 0) - pixels) <= 100, `${whole.height}`);
      await assertWhole(whole, slices, height);
    });
}

export function testOverlaps({ sliced }: Slicing, overlaps: readonly number[]): void {
  for (const overlap of overlaps)
    test(`slice_overlap: each slice repeats exactly the last ${overlap} rows of the previous one`, async () => {
      const { whole, slices } = await sliced(documentationPage(4_000), { slice_height: 300, slice_overlap: overlap });
      assert.ok(slices.length > 10);
      await assertWhole(whole, slices, 300, overlap);
    });
}

/** @param windows width of the page, scale, and height of a slice. */
export function testLines({ site, take }: Slicing, windows: readonly (readonly [width: number, scale: number, height: number])[]): void {
  for (const [width, scale, height] of windows)
    test(`no cut goes through a line of text in documentation ${width} px wide, at scale ${scale} in slices of ${height}`, async () => {
      site.serve({ "/page": documentationPage(9_000) });
      const shared = { url: `${site.origin}/page`, full_page: true, width, device_scale_factor: scale };
      const { outcomes } = await take(shared, [{ slice_height: height }, { format: "html" }]);
      const lines = linesOf(captureOf(outcomes[1]).bytes.toString());
      const cuts = (captureOf(outcomes[0]).slices ?? []).slice(1).map(({ y }) => y / scale);
      assert.ok(lines.length > 100 && cuts.length >= 5, `${lines.length} lines, ${cuts.length} cuts`);
      for (const cut of cuts)
        for (const [top, bottom, text] of lines)
          assert.ok(cut <= top + 0.5 || cut >= bottom - 0.5, `cut at ${cut}, inside the line ${top}–${bottom}: ${text}`);
    });
}

export function testScale({ sliced }: Slicing, scale: number): void {
  test(`at scale ${scale}, slice_height is in image pixels`, async () => {
    const { whole, slices } = await sliced(
      documentationPage(2_000),
      { slice_height: 700, slice_overlap: 33 },
      { device_scale_factor: scale },
    );
    assert.ok((whole.height ?? 0) > 1_900 * scale);
    await assertWhole(whole, slices, 700, 33);
  });
}

export function testFit({ sliced }: Slicing, formats: readonly string[]): void {
  test("fit=model limits each slice; long pages aren't scaled down", async () => {
    for (const format of formats) {
      const { cut, slices } = await sliced(documentationPage(5_000), { slice_height: 1500, fit: "model", format }, { width: 1280 });
      assert.equal(cut.width, 1280);
      assert.ok(slices.length >= (cut.height ?? 0) / 898 && slices.length > 1);
      for (const { bytes, width, height } of slices)
        assert.ok(width === 1280 && width * height <= 1_150_000 && height <= 1568 && bytes.length <= 5e6, `${width} × ${height}`);
      assert.ok(
        cut.warnings.includes("slice_height was reduced to 898, because taller slices would exceed the image's size limits"),
        cut.warnings.join(),
      );
    }
  });
}
