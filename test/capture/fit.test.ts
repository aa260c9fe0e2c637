/** Limits on the image: `fit=model`, `max_width`, `max_height`, `max_pixels` and `max_bytes`. */

import assert from "node:assert/strict";
import { before, test } from "node:test";
import sharp from "sharp";
import { type Captures, startCaptures } from "../support/captures.ts";
import { describeImage, pixelAt } from "../support/image.ts";
import { longOnly, onlyLong } from "../support/long-only.ts";
import { fileScope } from "../support/scope.ts";

const longTest = longOnly(test);
const scope = fileScope();
let capture: Captures["capture"];

before(async () => {
  ({ capture } = await startCaptures(scope));
});

/** Red at the top, blue at the bottom. */
const page = (height: number) =>
  `<!doctype html><body style="margin:0"><div style="height:${height / 2}px;background:#f00"></div><div style="height:${height / 2}px;background:#00f"></div>`;
/** Compresses badly. */
const noise = `<!doctype html><body style="margin:0"><canvas id="c" width="800" height="600"></canvas><script>
  const context = c.getContext("2d"); const image = context.createImageData(800, 600); let seed = 1;
  for (let at = 0; at < image.data.length; at += 1) { seed = (seed * 1103515245 + 12345) & 0x7fffffff; image.data[at] = at % 4 === 3 ? 255 : seed >> 16; }
  context.putImageData(image, 0, 0)</script>`;

async function sizeOf(parameters: Record<string, string>, height = 100): Promise<[number, number]> {
  const { status, json, bytes } = await capture(page(height), parameters);
  assert.equal(status, 200, String(json.error));
  const size = describeImage(bytes);
  assert.equal(pixelAt(bytes, Math.floor(size.width / 2), Math.floor(size.height / 4)), "#ff0000");
  assert.equal(pixelAt(bytes, Math.floor(size.width / 2), Math.floor((size.height * 3) / 4)), "#0000ff");
  return [size.width, size.height];
}

for (const height of [300, 3_000, ...onlyLong([900, 12_000])])
  test(`fit=model: a page of 1280 × ${height} respects the limits for side length and pixels`, async () => {
    const [width, shown] = await sizeOf({ fit: "model", full_page: "true", width: "1280", height: "300" }, height);
    assert.ok(Math.max(width, shown) <= 1568 && width * shown <= 1_150_000, `${width} × ${shown}`);
    // As large as the limits allow, in the page's proportions.
    assert.ok(Math.max(width, shown) >= 1566 || width * shown >= 1_145_000 || width === 1280, `${width} × ${shown}`);
    assert.ok(Math.abs(width / shown - 1280 / height) < 0.02 * (1280 / height), `${width} × ${shown}`);
  });

test("max_width, max_height and max_pixels limit the image, even with image_width; nothing is enlarged", async () => {
  assert.deepEqual(await sizeOf({ max_width: "100" }), [100, 50]);
  assert.deepEqual(await sizeOf({ max_height: "20" }), [40, 20]);
  assert.deepEqual(await sizeOf({ max_width: "100", image_width: "60" }), [60, 30]);
  assert.deepEqual(await sizeOf({ max_width: "60", image_width: "100" }), [60, 30]);
  assert.deepEqual(await sizeOf({ max_pixels: "5000" }), [100, 50]);
  assert.deepEqual(await sizeOf({ max_width: "4000", max_pixels: "40000000" }), [200, 100]);
  assert.deepEqual(await sizeOf({ fit: "model", max_width: "50" }), [50, 25]);
});

test("max_pixels is never exceeded, not even by a single pixel", async () => {
  for (const max of [1, 7, 4_999, ...onlyLong([2, 3, 101, 997, 7_919, 12_345])]) {
    const { bytes } = await capture(page(100), { max_pixels: String(max) });
    const { width, height } = describeImage(bytes);
    assert.ok(width * height <= max, `${width} × ${height} for ${max}`);
  }
});

for (const format of ["jpeg", ...onlyLong(["png", "webp", "avif"])])
  test(`max_bytes: ${format} of noise fits, and the warning says how`, async () => {
    const parameters = { format, width: "800", height: "600" };
    const { bytes: full } = await capture(noise, parameters);
    const max = Math.floor(full.length / 3);
    const { status, bytes, warnings } = await capture(noise, { ...parameters, max_bytes: String(max) });
    assert.equal(status, 200);
    assert.ok(bytes.length <= max, `${bytes.length} of ${max}`);
    assert.match(
      warnings ?? "",
      new RegExp(`to fit within ${max} bytes, the image was (encoded with quality \\d+|scaled to \\d+ . \\d+ pixels)`),
    );
    const { format: stored = "", width = 0 } = await sharp(bytes).metadata();
    assert.ok([format, "heif"].includes(stored) && width > 100, `${stored} ${width}`);
  });

test("max_bytes below what quality alone can reach scales the image down; the description has the final size", async () => {
  const { json } = await capture(noise, { format: "jpeg", width: "800", height: "600", max_bytes: "3000", response_type: "json" });
  const { width, height, bytes } = json as Record<string, number>;
  assert.ok(Number(bytes) <= 3000 && Number(width) < 800, JSON.stringify(json));
  const file = Buffer.from(await (await fetch(String(json.url))).arrayBuffer());
  const stored = await sharp(file).metadata();
  assert.deepEqual([stored.width, stored.height, file.length], [width, height, bytes]);
});

longTest("an image within the limits is unchanged", async () => {
  const plain = await capture(page(100), { format: "jpeg" });
  const bounded = await capture(page(100), { format: "jpeg", fit: "model" });
  assert.deepEqual(bounded.bytes, plain.bytes);
  assert.equal(bounded.warnings, null);
});
