/** Pages larger than a browser can draw at once, and tests of their images. */

import assert from "node:assert/strict";
import { before, test } from "node:test";
import sharp from "sharp";
import { drawTiles } from "../../src/capture/image/tiles.ts";
import { initialShot } from "../../src/capture/load-page.ts";
import { type Captures, startCaptures } from "../support/captures.ts";
import { describeImage } from "../support/image.ts";
import { fileScope } from "../support/scope.ts";

const scope = fileScope();
let captures: Captures;

const bands = 60;
const bandHeight = 1000;
const bandColour = (band: number) => [band * 4, (band * 37) % 256, 200];

before(async () => {
  captures = await startCaptures(scope, { MAX_FULL_PAGE_HEIGHT: "100000" });
  captures.site.serve({
    "/bands": `<!doctype html><style>*{margin:0}div{height:${bandHeight}px}i{position:fixed;top:0;left:0;width:50px;height:50px;background:#fff}</style><i></i>${Array.from(
      { length: bands },
      (_, band) => `<div style="background:rgb(${bandColour(band)})"></div>`,
    ).join("")}`,
    "/transparent": '<!doctype html><style>*{margin:0}</style><div style="width:50%;height:20000px;background:#f00"></div>',
    "/detail": `<!doctype html>${"<h1>Quality is seen in the detail</h1>".repeat(1000)}`,
  });
});

async function capture(path: string, parameters: Record<string, string>) {
  let memoryMax = 0;
  const memory = process.memoryUsage.rss();
  const watch = setInterval(() => (memoryMax = Math.max(memoryMax, process.memoryUsage.rss())), 20);
  const captured = await captures.capture(path, { full_page: "true", width: "320", height: "240", ...parameters });
  clearInterval(watch);
  assert.equal(captured.status, 200, String(captured.json.error));
  return { ...captured, ...describeImage(captured.bytes), memoryGrowth: memoryMax - memory };
}

/** The colors of one column from top to bottom. */
async function column(bytes: Uint8Array, left: number) {
  const image = sharp(bytes, { limitInputPixels: false, sequentialRead: true });
  const { width, height } = await image.metadata();
  const { data, info } = await image
    .extract({ left: Math.min(left, width - 1), top: 0, width: 1, height })
    .raw()
    .toBuffer({ resolveWithObject: true });
  return (y: number) => [...data.subarray(y * info.channels, (y + 1) * info.channels)];
}

export function testTiles(scale: number): void {
  test(`full_page: at scale ${scale}, no row is lost between tiles`, async () => {
    const captured = await capture("/bands", { device_scale_factor: String(scale), format: "png", full_page_max_height: "30000" });
    assert.equal(captured.height, 30_000 * scale);
    const colour = await column(captured.bytes, 300);
    for (let band = 1; band < 30; band += 1) {
      const row = band * bandHeight * scale;
      assert.deepEqual([colour(row - 1).slice(0, 3), colour(row).slice(0, 3)], [bandColour(band - 1), bandColour(band)], `band ${band}`);
    }
    assert.deepEqual(colour(30_000 * scale - 1).slice(0, 3), bandColour(29));
  });
}

/** @param height expected height of the image. @param warnings expected warnings. */
export function testFormat(format: string, height: number, warnings: string | null): void {
  test(`full_page: a ${format} of 60,000 pixels at scale 2 shows every part once, in place, or warns where it is cut off`, async (t) => {
    const captured = await capture("/bands", { device_scale_factor: "2", format });
    assert.deepEqual([captured.width, captured.height, captured.warnings], [640, height, warnings]);
    const colour = await column(captured.bytes, 600);
    const corner = await column(captured.bytes, 50);
    for (let band = 0; band < height / 2 / bandHeight; band += 1) {
      for (const y of [band * 2000 + 20, Math.min(band * 2000 + 1980, height - 1)]) {
        const differences = colour(y).map((value, channel) => Math.abs(value - (bandColour(band)[channel] ?? 0)));
        assert.ok(Math.max(...differences) < 12, `${colour(y)} at ${y}`);
        if (y > 100)
          assert.deepEqual(
            corner(y).map((value) => value >> 5),
            colour(y).map((value) => value >> 5),
            `no fixed element at ${y}`,
          );
      }
    }
    t.diagnostic(`${captured.bytes.length} bytes; memory grew by ${Math.round(captured.memoryGrowth / 1e6)} MB`);
    assert.ok(captured.memoryGrowth < 220e6, `memory grew by ${captured.memoryGrowth}; the whole bitmap takes 307 MB`);
  });
}

export function testDense(): void {
  test("full_page: a page with many elements is captured in few tiles", async () => {
    captures.site.serve({
      "/dense": `<!doctype html><style>*{margin:0}p{height:18px;font:9px sans-serif}</style>${"<p>row <b>of</b> many".repeat(6_000)}`,
    });
    const request = { account: "test", signal: AbortSignal.timeout(60_000), deadlineAt: performance.now() + 60_000 };
    const counts = await captures.service.services.slots.withTab(request, async (tab) => {
      const shown = { width: 1280, height: 18_000 };
      await tab.send("Emulation.setDeviceMetricsOverride", { width: 1280, height: 720, deviceScaleFactor: 1, mobile: false });
      const found: number[] = [];
      for (const path of ["/bands", "/dense"]) {
        const loaded = tab.once("Page.loadEventFired");
        await tab.send("Page.navigate", { url: `${captures.site.origin}${path}` });
        await loaded;
        const shot = { ...initialShot(), clip: { x: 0, y: 0, ...shown } };
        found.push((await drawTiles({ tab }, shot, { ...shown, shown, scale: 1 }, 10_000)).tiles.length);
      }
      return found;
    });
    assert.deepEqual(counts, [5, 2]);
  });
}

export function testTransparency(): void {
  test("omit_background: transparency is preserved in stitched tiles", async () => {
    const { bytes, height } = await capture("/transparent", { format: "png", omit_background: "true" });
    assert.equal(height, 20_000);
    const [red, clear] = [await column(bytes, 10), await column(bytes, 300)];
    for (const y of [0, 4095, 4096, 19_999])
      assert.deepEqual(
        [red(y), clear(y)],
        [
          [255, 0, 0, 255],
          [0, 0, 0, 0],
        ],
        `at ${y}`,
      );
  });
}

export function testQuality(): void {
  test("quality: a lower value gives a smaller jpeg, even with stitched tiles", async () => {
    const sizes = [];
    for (const quality of ["10", "95"])
      sizes.push((await capture("/detail", { format: "jpeg", quality, full_page_max_height: "17000" })).bytes.length);
    assert.ok((sizes[0] ?? 0) * 2 < (sizes[1] ?? 0), `${sizes}`);
  });
}

export function testScaledDown(): void {
  test("image_width: a page too tall to be drawn at once is scaled down completely", async () => {
    const { bytes, width, height, warnings } = await capture("/bands", { format: "png", image_width: "32" });
    assert.deepEqual([width, height, warnings], [32, 6000, null]);
    const colour = await column(bytes, 25);
    for (let band = 0; band < bands; band += 1) assert.deepEqual(colour(band * 100 + 50), bandColour(band), `band ${band}`);
  });
}
