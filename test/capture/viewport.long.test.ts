/** Viewport options: the emulated screen, and the size of the image. */

import assert from "node:assert/strict";
import { before, test } from "node:test";
import { type Captures, startCaptures } from "../support/captures.ts";
import { describeImage, pixelAt } from "../support/image.ts";
import { fileScope } from "../support/scope.ts";
import { colouredPage } from "../support/site.ts";

const scope = fileScope();
let capture: Captures["capture"];
let ask: Captures["ask"];

before(async () => {
  ({ capture, ask } = await startCaptures(scope));
});

const metaViewport = '<meta name="viewport" content="width=device-width,initial-scale=1">';

test("width, height: set the CSS viewport; device_scale_factor scales only the image", async () => {
  const half = colouredPage("#fff", '<div style="width:50vw;height:50vh;background:#f00">');
  for (const scale of [0.5, 1, 2, 3]) {
    const { bytes } = await capture(half, { width: "300", height: "200", device_scale_factor: String(scale) });
    assert.deepEqual(describeImage(bytes), { type: "png", width: 300 * scale, height: 200 * scale });
    assert.equal(pixelAt(bytes, 150 * scale - 1, 100 * scale - 1), "#ff0000", `at ${scale}`);
    assert.equal(pixelAt(bytes, 150 * scale, 100 * scale), "#ffffff", `at ${scale}`);
  }
  const values = "[innerWidth, innerHeight, screen.width, screen.height, devicePixelRatio]";
  assert.deepEqual(await ask(values, { width: "300", height: "200", device_scale_factor: "2" }), [300, 200, 300, 200, 2]);
});

test("an image with too many pixels is rejected, with its size and the limit", async () => {
  const { status, json } = await capture(colouredPage("#fff"), { width: "3840", height: "2160", device_scale_factor: "5" });
  assert.deepEqual([status, json.code], [400, "image_too_large"]);
  assert.match(json.error ?? "", /19200 × 10800/);
});

test("is_mobile: the viewport meta tag applies; without one, the page is laid out wide and scaled down", async () => {
  const width = "[innerWidth, document.documentElement.clientWidth]";
  assert.deepEqual(await ask(width, { width: "390", height: "800" }), [390, 390]);
  assert.deepEqual(await ask(width, { width: "390", height: "800", is_mobile: "true" }, metaViewport), [390, 390]);
  const [, wide] = (await ask(width, { width: "390", height: "800", is_mobile: "true" })) as number[];
  assert.equal(wide, 980);
  const { bytes } = await capture(colouredPage("#fff", '<div style="width:490px;height:2000px;background:#f00">'), {
    width: "390",
    height: "800",
    is_mobile: "true",
  });
  assert.deepEqual(describeImage(bytes), { type: "png", width: 390, height: 800 });
  assert.equal(pixelAt(bytes, 190, 700), "#ff0000");
  assert.equal(pixelAt(bytes, 200, 700), "#ffffff");
});

test("is_mobile: user agent and client hints are those of mobile Chromium, unless user_agent is given", async () => {
  const values = "[navigator.userAgent, navigator.userAgentData?.mobile, navigator.userAgentData?.platform, navigator.platform]";
  const [agent, ...rest] = (await ask(values, { is_mobile: "true" })) as string[];
  assert.match(agent ?? "", /^Mozilla\/5\.0 \(Linux; Android 10; K\) .* Chrome\/\d+\.0\.0\.0 Mobile Safari\/537\.36$/);
  assert.deepEqual(rest, [true, "Android", "Linux armv81"]);
  const [desktop, ...others] = (await ask(values)) as string[];
  assert.match(desktop ?? "", /X11; Linux x86_64.* Chrome\/\d+/);
  assert.deepEqual(others, [false, "Linux", "Linux x86_64"]);
  assert.equal(((await ask(values, { is_mobile: "true", user_agent: "Test/1.0" })) as string[])[0], "Test/1.0");
});

test("has_touch: media queries, touch events and maxTouchPoints indicate a touch screen", async () => {
  const values =
    "[matchMedia('(any-pointer: coarse)').matches, matchMedia('(pointer: coarse)').matches, 'ontouchstart' in window, navigator.maxTouchPoints]";
  assert.deepEqual(await ask(values), [false, false, false, 0]);
  assert.deepEqual(await ask(values, { has_touch: "true" }), [true, true, true, 5]);
});

test("is_landscape: sets the screen orientation, but keeps an explicit size", async () => {
  const values = "[screen.orientation.type, innerWidth, innerHeight]";
  assert.deepEqual(await ask(values, { is_mobile: "true", width: "300", height: "500" }, metaViewport), ["portrait-primary", 300, 500]);
  for (const is_mobile of ["true", "false"])
    assert.deepEqual(await ask(values, { is_mobile, is_landscape: "true", width: "300", height: "500" }, metaViewport), [
      "landscape-primary",
      300,
      500,
    ]);
});

const telephone = "[innerWidth, innerHeight, devicePixelRatio, navigator.maxTouchPoints, /iPhone/.test(navigator.userAgent)]";
const absent = { width: "", height: "" };

test("viewport_device: applies a device's screen, touch and user agent; names are matched leniently", async () => {
  for (const viewport_device of ["iPhone 15", "iphone 15", "IPHONE_15", "iphone-15"])
    assert.deepEqual(await ask(telephone, { ...absent, viewport_device }, metaViewport), [393, 659, 3, 5, true], viewport_device);
  const { bytes } = await capture(metaViewport, { ...absent, viewport_device: "iPhone 15" });
  assert.deepEqual(describeImage(bytes), { type: "png", width: 1179, height: 1977 });
});

test("viewport_device: an Android device's user agent and hints name the device and the actual Chromium version", async () => {
  const values = `navigator.userAgentData.getHighEntropyValues(["model", "platformVersion"]).then(({ model, platformVersion, platform, mobile }) =>
    [model, platformVersion, platform, mobile, navigator.userAgent])`;
  const [model, version, platform, mobile, agent] = (await ask(values, { ...absent, viewport_device: "Pixel 5" })) as string[];
  assert.deepEqual([model, version, platform, mobile], ["Pixel 5", "11", "Android", true]);
  const [, own] = /Chrome\/(\d+)/.exec((await ask("navigator.userAgent")) as string) ?? [];
  assert.match(agent ?? "", new RegExp(`Android 11; Pixel 5\\) .* Chrome/${own}\\.0\\.0\\.0 Mobile Safari`));
});

test("viewport_device: explicit values take precedence, is_landscape rotates the device, and defaults don't count as explicit", async () => {
  const of = (parameters: Record<string, string>) =>
    ask(telephone, { ...absent, viewport_device: "iPhone 15", ...parameters }, metaViewport);
  assert.deepEqual(await of({ width: "500" }), [500, 659, 3, 5, true]);
  assert.deepEqual(await of({ device_scale_factor: "1", has_touch: "false" }), [393, 659, 1, 0, true]);
  assert.deepEqual(await of({ is_landscape: "true" }), [659, 393, 3, 5, true]);
  assert.deepEqual(await of({ user_agent: "Test/1.0" }), [393, 659, 3, 5, false]);
});

test("viewport_device: sending every default still applies the device", async () => {
  const defaults = {
    width: "1280",
    height: "720",
    device_scale_factor: "1",
    is_mobile: "false",
    has_touch: "false",
    is_landscape: "false",
  };
  assert.deepEqual(await ask(telephone, { ...defaults, viewport_device: "iPhone 15" }, metaViewport), [393, 659, 3, 5, true]);
  assert.deepEqual(await ask(telephone, { ...defaults, width: "1281", viewport_device: "iPhone 15" }, metaViewport), [
    1281,
    720,
    1,
    0,
    true,
  ]);
});

test("viewport_device: an unknown name causes a 400 with a suggestion", async () => {
  const { status, json } = await capture(metaViewport, { viewport_device: "iPhone 15 Prp" });
  assert.equal(status, 400);
  assert.equal(json.error, 'viewport_device must be the name of a known device, not "iPhone 15 Prp" (did you mean iPhone 15 Pro?).');
  assert.match(JSON.stringify(json.details), /"allowed":"one of .*iPad Mini, /);
});
