/** Cross-origin frames, which Chromium doesn't draw while they are outside the viewport. */

import assert from "node:assert/strict";
import { before, test } from "node:test";
import sharp from "sharp";
import { type Captures, startCaptures } from "../support/captures.ts";
import { describeImage, pixelAt, readPixels } from "../support/image.ts";
import { longestTurnAtBest } from "../support/longest-turn.ts";
import { fileScope } from "../support/scope.ts";
import { colouredPage, createSite, type Site } from "../support/site.ts";

const scope = fileScope();
let captures: Captures;
let elsewhere: Site;

before(async () => {
  elsewhere = await createSite(scope, {
    "/": colouredPage("#0f0", '<div style="width:50px;height:20px;background:#00f"></div>'),
  });
  captures = await startCaptures(scope, { EGRESS_ALLOWED_HOSTS: elsewhere.host });
});

const fullPage = { full_page: "true", width: "400", height: "300" };
const standard = "<!doctype html><style>*{margin:0}iframe{border:0;position:absolute;left:50px;width:300px;height:200px}</style>";
const frameAt = (top: number, more = "") => `<iframe src="${elsewhere.origin}/" style="top:${top}px;${more}"></iframe>`;

for (const top of [1200, 50])
  test(`full_page: a cross-origin frame ${top} pixels from the top is drawn in its place`, async () => {
    const { bytes, warnings } = await captures.capture(`${standard}<body style="height:2000px;background:#f00">${frameAt(top)}`, fullPage);
    assert.equal(warnings, null);
    const pixel = readPixels(bytes);
    assert.deepEqual([pixel(60, top + 5), pixel(200, top + 150), pixel(349, top + 199)], ["#0000ff", "#00ff00", "#00ff00"]);
    assert.deepEqual([pixel(49, top + 100), pixel(350, top + 100), pixel(200, top - 1)], ["#ff0000", "#ff0000", "#ff0000"]);
  });

for (const format of ["jpeg", "webp"])
  test(`full_page: a cross-origin frame is drawn in a ${format}`, async () => {
    const page = `${standard}<body style="height:2000px;background:#f00">${frameAt(1200)}`;
    const { bytes } = await captures.capture(page, { ...fullPage, format });
    const { width, height, type } = describeImage(bytes);
    assert.deepEqual([width, height, type], [400, 2000, format === "jpeg" ? "jpg" : format]);
    const [red = 0, green = 0, blue = 0] = await sharp(bytes).extract({ left: 200, top: 1350, width: 1, height: 1 }).raw().toBuffer();
    assert.ok(red < 30 && green > 225 && blue < 30, `${red}, ${green}, ${blue}`);
  });

test("full_page: all cross-origin frames are drawn: nested, sandboxed, in shadow roots and taller than the viewport", async () => {
  captures.site.serve({ "/holder": `${standard}${frameAt(0, "left:0")}` });
  const { bytes } = await captures.capture(
    `${standard}<body style="height:6000px;background:#f00">${frameAt(700)}${frameAt(3000, "height:1400px")}
     <iframe sandbox srcdoc="<body style='background:#0f0'>" style="top:1000px"></iframe>
     <iframe src="/holder" style="top:1300px"></iframe>
     <x-shadow></x-shadow><script>
       document.querySelector("x-shadow").attachShadow({ mode: "open" }).innerHTML =
         '<iframe src="${elsewhere.origin}/" style="border:0;position:absolute;top:2000px;left:50px" width=300 height=200></iframe>';
     </script>`,
    fullPage,
  );
  const pixel = readPixels(bytes);
  for (const top of [700, 1000, 1300, 2000, 3000, 3600, 4190]) assert.equal(pixel(200, top + 150), "#00ff00", `at ${top}`);
  assert.equal(pixel(200, 4450), "#ff0000");
});

test("full_page: content over a cross-origin frame still covers it, and a fixed bar appears once, at the end", async () => {
  const { bytes } = await captures.capture(
    `${standard}<body style="height:2000px;background:#f00">${frameAt(1790)}
     <p style="position:absolute;top:1800px;left:100px;width:50px;height:50px;background:#ff0"></p>
     <p style="position:fixed;bottom:0;width:100%;height:40px;background:#0ff"></p>`,
    fullPage,
  );
  const pixel = readPixels(bytes);
  assert.deepEqual([pixel(120, 1820), pixel(120, 1860)], ["#ffff00", "#00ff00"]);
  assert.deepEqual([pixel(20, 1980), pixel(200, 1980), pixel(20, 280)], ["#00ffff", "#00ffff", "#ff0000"]);
});

test("full_page: a cross-origin frame keeps its place at other scales", async () => {
  const page = `${standard}<body style="height:2000px;background:#f00">${frameAt(1200)}`;
  const large = await captures.capture(page, { ...fullPage, device_scale_factor: "2" });
  assert.deepEqual([pixelAt(large.bytes, 102, 2404), pixelAt(large.bytes, 400, 2700)], ["#0000ff", "#00ff00"]);
  const small = await captures.capture(page, { ...fullPage, image_width: "200" });
  assert.deepEqual([pixelAt(small.bytes, 100, 675), pixelAt(small.bytes, 100, 610)], ["#00ff00", "#00ff00"]);
  assert.deepEqual([pixelAt(small.bytes, 100, 597), pixelAt(small.bytes, 100, 702)], ["#ff0000", "#ff0000"]);
});

test("selector: a cross-origin frame below the viewport is drawn", async () => {
  const { bytes } = await captures.capture(`${standard}<body style="height:2000px">${frameAt(1200)}`, { ...fullPage, selector: "iframe" });
  assert.equal(pixelAt(bytes, 150, 150), "#00ff00");
});

test("full_page: large cross-origin frames don't fill up memory in a viewport of a few pixels", async () => {
  const page = `${standard}<body style="height:2500px;width:2500px">${frameAt(5, "width:2450px;height:2495px")}`;
  for (const width of ["1", "2"]) {
    const { result, grownBytes, ms } = await longestTurnAtBest(
      () => captures.capture(page, { full_page: "true", width, height: width }),
      100,
      1,
    );
    assert.equal(result.status, 200);
    assert.ok(grownBytes < 200e6 && ms < 200, `width ${width}: ${Math.round(grownBytes / 1e6)} MB more, a turn of ${ms} ms`);
  }
});
