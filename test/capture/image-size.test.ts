/** Image size: scaled down, cropped or rejected. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { imageSize } from "../../src/capture/image/spec.ts";
import type { ShotSettings } from "../../src/capture/option-group.ts";

function page(width: number, height: number, more: Partial<ShotSettings> = {}): ShotSettings {
  return {
    viewport: { width: 1280, height: 720 },
    scale: 1,
    format: "png",
    quality: 80,
    isTransparent: false,
    fit: {},
    clip: { x: 0, y: 0, width, height },
    isMeasured: false,
    mayBeCut: true,
    ...more,
  };
}

function sizeOf(shot: ShotSettings) {
  const { width, height, cutWarnings } = imageSize(shot);
  return [width, height, ...cutWarnings];
}

test("a page within the limits is captured completely, at its scale", () => {
  assert.deepEqual(sizeOf(page(1280, 30_000)), [1280, 30_000]);
  assert.deepEqual(sizeOf(page(1280, 30_000, { scale: 2 })), [2560, 60_000]);
  assert.deepEqual(sizeOf(page(1280, 30_000, { format: "jpeg", scale: 2 })), [2560, 60_000]);
});

test("a page beyond the pixel limit is cut off, with a warning", () => {
  assert.deepEqual(sizeOf(page(1280, 60_000, { scale: 2 })), [2560, 62_500, "the page is 60000 CSS pixels high and was cut off at 31250"]);
});

test("a page beyond the format's limit is cut off, with a warning", () => {
  assert.deepEqual(sizeOf(page(500, 70_000, { format: "jpeg" })), [
    500,
    65_500,
    "the page is 70000 CSS pixels high and was cut off at 65500",
  ]);
  assert.deepEqual(sizeOf(page(500, 70_000, { format: "webp" })), [
    500,
    16_383,
    "the page is 70000 CSS pixels high and was cut off at 16383",
  ]);
  assert.deepEqual(sizeOf(page(20_000, 500)), [16_384, 500, "the page is 20000 CSS pixels wide and was cut off at 16384"]);
});

test("a page already cut off at the maximum height gets only one warning, with the page's height", () => {
  const cut = (more: Partial<ShotSettings>) => sizeOf(page(1280, 30_000, { whole: { what: "page", height: 40_000 }, ...more })).slice(2);
  assert.deepEqual(cut({}), ["the page is 40000 CSS pixels high and was cut off at 30000"]);
  assert.deepEqual(cut({ format: "webp" }), ["the page is 40000 CSS pixels high and was cut off at 16383"]);
  assert.deepEqual(cut({ whole: { what: "element", height: 40_000 } }), ["the element is 40000 CSS pixels high and was cut off at 30000"]);
  assert.deepEqual(cut({ whole: { what: "page", height: 30_000 } }), []);
});

test("a scaled-down page is measured at its final size", () => {
  assert.deepEqual(sizeOf(page(1280, 60_000, { scale: 2, format: "webp", fit: { width: 320 } })), [320, 15_000]);
  assert.deepEqual(sizeOf(page(1280, 60_000, { fit: { width: 320, height: 600 } })), [13, 600]);
  assert.deepEqual(sizeOf(page(1280, 720, { fit: { width: 5000 } })), [1280, 720]);
});

test("an explicit size that is too large is rejected, never cut off", () => {
  for (const shot of [
    page(3840, 2160, { scale: 3, isMeasured: false, mayBeCut: false }),
    page(10_000, 400, { scale: 2, isMeasured: false, mayBeCut: false }),
    page(300, 20_000, { format: "webp", isMeasured: false, mayBeCut: false }),
  ])
    assert.throws(() => imageSize(shot), { code: "image_too_large" });
  assert.deepEqual(sizeOf(page(300, 20_000, { format: "jpeg", isMeasured: false, mayBeCut: false })), [300, 20_000]);
});

test("avif has lower limits, because it is encoded from the whole bitmap", () => {
  assert.deepEqual(sizeOf(page(2000, 12_000, { format: "avif" })), [
    2000,
    10_000,
    "the page is 12000 CSS pixels high and was cut off at 10000",
  ]);
  assert.throws(
    () => imageSize(page(5000, 5000, { format: "avif", mayBeCut: false })),
    /5000 × 5000 pixels; at most 20 million are allowed/,
  );
});
