/** The viewport's options: what a page is told of its window and screen, and the size of its picture. */

import assert from "node:assert/strict";
import { before, test } from "node:test";
import { type Captures, startCaptures } from "../support/captures.ts";
import { describePicture, pixelAt } from "../support/picture.ts";
import { fileScope } from "../support/scope.ts";
import { colouredPage } from "../support/site.ts";

const scope = fileScope();
let capture: Captures["capture"];
let ask: Captures["ask"];

before(async () => {
  ({ capture, ask } = await startCaptures(scope));
});

const metaViewport = '<meta name="viewport" content="width=device-width,initial-scale=1">';

test("a good capture (14): width and height are the CSS viewport, the scale factor multiplies the picture alone", async () => {
  const half = colouredPage("#fff", '<div style="width:50vw;height:50vh;background:#f00">');
  for (const scale of [0.5, 1, 2, 3]) {
    const { bytes } = await capture(half, { width: "300", height: "200", device_scale_factor: String(scale) });
    assert.deepEqual(describePicture(bytes), { type: "png", width: 300 * scale, height: 200 * scale });
    assert.equal(pixelAt(bytes, 150 * scale - 1, 100 * scale - 1), "#ff0000", `at ${scale}`);
    assert.equal(pixelAt(bytes, 150 * scale, 100 * scale), "#ffffff", `at ${scale}`);
  }
  const told = "[innerWidth, innerHeight, screen.width, screen.height, devicePixelRatio]";
  assert.deepEqual(await ask(told, { width: "300", height: "200", device_scale_factor: "2" }), [300, 200, 300, 200, 2]);
});

test("a picture with more pixels than are allowed is refused, with its size and the bound", async () => {
  const { status, json } = await capture(colouredPage("#fff"), { width: "3840", height: "2160", device_scale_factor: "5" });
  assert.deepEqual([status, json.code], [400, "image_too_large"]);
  assert.match(json.error ?? "", /19200 × 10800/);
});

test("is_mobile: the page's viewport tag counts; without one the page is laid out wide and shown small", async () => {
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
  assert.deepEqual(describePicture(bytes), { type: "png", width: 390, height: 800 });
  assert.equal(pixelAt(bytes, 190, 700), "#ff0000");
  assert.equal(pixelAt(bytes, 200, 700), "#ffffff");
});

test("is_mobile: user agent and client hints are those of a mobile Chromium, unless user_agent is given", async () => {
  const told = "[navigator.userAgent, navigator.userAgentData?.mobile, navigator.userAgentData?.platform, navigator.platform]";
  const [agent, ...rest] = (await ask(told, { is_mobile: "true" })) as string[];
  assert.match(agent ?? "", /^Mozilla\/5\.0 \(Linux; Android 10; K\) .* Chrome\/\d+\.0\.0\.0 Mobile Safari\/537\.36$/);
  assert.deepEqual(rest, [true, "Android", "Linux armv81"]);
  const [desktop, ...others] = (await ask(told)) as string[];
  assert.match(desktop ?? "", /X11; Linux x86_64.* Chrome\/\d+/);
  assert.deepEqual(others, [false, "Linux", "Linux x86_64"]);
  assert.equal(((await ask(told, { is_mobile: "true", user_agent: "Test/1.0" })) as string[])[0], "Test/1.0");
});

test("has_touch: media queries, touch events and touch points say that fingers are used", async () => {
  const told =
    "[matchMedia('(any-pointer: coarse)').matches, matchMedia('(pointer: coarse)').matches, 'ontouchstart' in window, navigator.maxTouchPoints]";
  assert.deepEqual(await ask(told), [false, false, false, 0]);
  assert.deepEqual(await ask(told, { has_touch: "true" }), [true, true, true, 5]);
});

test("is_landscape: the screen says that it is held sideways; a size that is given stays", async () => {
  const told = "[screen.orientation.type, innerWidth, innerHeight]";
  assert.deepEqual(await ask(told, { is_mobile: "true", width: "300", height: "500" }, metaViewport), ["portrait-primary", 300, 500]);
  for (const is_mobile of ["true", "false"])
    assert.deepEqual(await ask(told, { is_mobile, is_landscape: "true", width: "300", height: "500" }, metaViewport), [
      "landscape-primary",
      300,
      500,
    ]);
});

const telephone = "[innerWidth, innerHeight, devicePixelRatio, navigator.maxTouchPoints, /iPhone/.test(navigator.userAgent)]";
const absent = { width: "", height: "" };

test("viewport_device: screen, touch and user agent of a device, however its name is written", async () => {
  for (const viewport_device of ["iPhone 15", "iphone 15", "IPHONE_15", "iphone-15"])
    assert.deepEqual(await ask(telephone, { ...absent, viewport_device }, metaViewport), [393, 659, 3, 5, true], viewport_device);
  const { bytes } = await capture(metaViewport, { ...absent, viewport_device: "iPhone 15" });
  assert.deepEqual(describePicture(bytes), { type: "png", width: 1179, height: 1977 });
});

test("viewport_device: an Android's user agent and hints name the device and the Chromium that is there", async () => {
  const told = `navigator.userAgentData.getHighEntropyValues(["model", "platformVersion"]).then(({ model, platformVersion, platform, mobile }) =>
    [model, platformVersion, platform, mobile, navigator.userAgent])`;
  const [model, version, platform, mobile, agent] = (await ask(told, { ...absent, viewport_device: "Pixel 5" })) as string[];
  assert.deepEqual([model, version, platform, mobile], ["Pixel 5", "11", "Android", true]);
  const [, own] = /Chrome\/(\d+)/.exec((await ask("navigator.userAgent")) as string) ?? [];
  assert.match(agent ?? "", new RegExp(`Android 11; Pixel 5\\) .* Chrome/${own}\\.0\\.0\\.0 Mobile Safari`));
});

test("viewport_device: what is given beside it wins, is_landscape turns it, and defaults are not given", async () => {
  const of = (parameters: Record<string, string>) =>
    ask(telephone, { ...absent, viewport_device: "iPhone 15", ...parameters }, metaViewport);
  assert.deepEqual(await of({ width: "500" }), [500, 659, 3, 5, true]);
  assert.deepEqual(await of({ device_scale_factor: "1", has_touch: "false" }), [393, 659, 1, 0, true]);
  assert.deepEqual(await of({ is_landscape: "true" }), [659, 393, 3, 5, true]);
  assert.deepEqual(await of({ user_agent: "Test/1.0" }), [393, 659, 3, 5, false]);
});

test("viewport_device: a client that sends every default has chosen the device", async () => {
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

test("viewport_device: a name that isn't known is a 400 that says which one was probably meant", async () => {
  const { status, json } = await capture(metaViewport, { viewport_device: "iPhone 15 Prp" });
  assert.equal(status, 400);
  assert.equal(json.error, 'viewport_device must be the name of a known device, not "iPhone 15 Prp" (did you mean iPhone 15 Pro?).');
  assert.match(JSON.stringify(json.details), /"allowed":"one of .*iPad Mini, /);
});
