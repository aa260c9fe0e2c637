/** `format=avif`, decoded by two independent decoders: libheif and Chromium. */

import assert from "node:assert/strict";
import { before, test } from "node:test";
import sharp from "sharp";
import { type Captures, startCaptures } from "../support/captures.ts";
import { pixelAt } from "../support/image.ts";
import { fileScope } from "../support/scope.ts";
import { colouredPage } from "../support/site.ts";

const scope = fileScope();
let site: Captures["site"];
let capture: Captures["capture"];

before(async () => {
  ({ site, capture } = await startCaptures(scope));
});

/** AVIF slightly changes every color. */
const green = /^#0[0-3]f[c-f]0[0-3]$/;

async function decode(bytes: Uint8Array) {
  const { format, compression, width, height, hasAlpha } = await sharp(bytes).metadata();
  return { type: `${format} ${compression}`, width, height, hasAlpha, png: await sharp(bytes).png().toBuffer() };
}

test("format=avif: response, header and size are those of an AVIF image", async () => {
  const { status, headers, bytes, warnings } = await capture(colouredPage("#00ff00", "<p>Opening hours</p>"), { format: "avif" });
  assert.deepEqual([status, headers.get("content-type"), warnings], [200, "image/avif", null]);
  assert.match(headers.get("content-disposition") ?? "", /\.avif"$/);
  const { png, ...described } = await decode(bytes);
  assert.deepEqual(described, { type: "heif av1", width: 200, height: 100, hasAlpha: false });
  assert.match(pixelAt(png, 150, 90), green);
});

test("format=avif: in Chromium the image looks like the page", async () => {
  const page = `<!doctype html><style>body{margin:0} i{display:block;width:100px;height:100px;background:#f00;float:left} i+i{background:#00f}</style><i></i><i></i>`;
  const { bytes } = await capture(page, { format: "avif", quality: "100" });
  site.serve({ "/again.avif": (_, response) => response.writeHead(200, { "content-type": "image/avif" }).end(bytes) });
  const shown = await capture(`<!doctype html><style>body{margin:0} img{display:block}</style><img src="/again.avif">`);
  assert.match(pixelAt(shown.bytes, 50, 50), /^#f[c-f]0[0-3]0[0-3]$/);
  assert.match(pixelAt(shown.bytes, 150, 50), /^#0[0-3]0[0-3]f[c-f]$/);
});

test("format=avif: quality, scale, thumbnails and transparency work as for other formats", async () => {
  const text = colouredPage("#fff", "<p>Many words that have edges, so that quality counts</p>".repeat(3));
  const [high, low] = await Promise.all(["95", "20"].map((quality) => capture(text, { format: "avif", quality })));
  assert.ok((low?.bytes.length ?? 0) < (high?.bytes.length ?? 0) / 2);
  const double = await decode((await capture(text, { format: "avif", device_scale_factor: "2", image_width: "300" })).bytes);
  assert.deepEqual([double.width, double.height], [300, 150]);
  const clear = await capture("<!doctype html><p>text", { format: "avif", omit_background: "true" });
  assert.equal(clear.warnings, null);
  assert.equal(pixelAt((await decode(clear.bytes)).png, 190, 90).slice(7), "00");
});

test("format=avif: a page taller than the format allows is cut off, with a warning", async () => {
  const { bytes, warnings } = await capture(colouredPage("#00ff00", "<div style='height:20000px'>"), { format: "avif", full_page: "true" });
  const { width, height, png } = await decode(bytes);
  assert.deepEqual([width, height], [200, 16_384]);
  assert.match(warnings ?? "", /the page is 20\d\d\d CSS pixels high and was cut off at 16384/);
  assert.match(pixelAt(png, 100, 16_300), green);
});

test("format=avif: blank pages are detected, and error images can be AVIF", async () => {
  const blank = await capture("<!doctype html><title>nothing</title>", { format: "avif" });
  assert.equal(blank.headers.get("x-verdict"), "blank");
  const failed = await capture("/", { format: "avif", error_image: "true", selector: "#nowhere" });
  assert.deepEqual([failed.status, failed.headers.get("content-type")], [400, "image/avif"]);
  assert.deepEqual([(await decode(failed.bytes)).width, (await decode(failed.bytes)).height], [200, 100]);
});
