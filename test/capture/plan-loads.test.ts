/** Which outputs share a load, and in which order they are captured. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { planLoads } from "../../src/capture/plan-loads.ts";
import { createTakeSchema, withPresets } from "../../src/screenshots/take/take-options.ts";

const schema = createTakeSchema({
  widthMax: 4000,
  heightMax: 4000,
  fullPageHeightMax: 60_000,
  widthDefault: 1280,
  heightDefault: 720,
  qualityDefault: 80,
  timeoutMaxSeconds: 60,
  pageLoadTimeoutMs: 30_000,
});

/** Positions of the outputs, by load. */
function planned(...outputs: Record<string, unknown>[]): number[][] {
  const options = outputs.map((given) => schema.parse(withPresets({ url: "http://example.com/", ...given }, {})));
  return planLoads(options).map((load) => load.map(({ index }) => index));
}

test("each window size is used once, and for each size outputs beyond the viewport come last", () => {
  const narrow = { width: 390 };
  assert.deepEqual(
    planned({ full_page: true }, narrow, {}, { ...narrow, full_page: true }, { prefers_color_scheme: "dark" }, { image_width: 320 }),
    [[2, 5, 4, 0, 1, 3]],
  );
});

test("documents come before full-page images, and elements before documents", () => {
  assert.deepEqual(planned({ full_page: true }, { selector: "h1" }, { format: "html" }, { format: "jpeg" }), [[3, 2, 1, 0]]);
});

test("options visible to the server or the page's first scripts cause another load", () => {
  assert.deepEqual(planned({}, { locale: "de-DE" }, { cookies: ["a=1"] }, { locale: "de-DE", width: 390 }, { is_mobile: true }), [
    [0],
    [1, 3],
    [2],
    [4],
  ]);
});

test("outputs with scripts share a load only if the window is the same, outputs with a clock only if the frame is the same", () => {
  const scripts = "document.title = 1";
  assert.deepEqual(planned({ scripts }, { scripts, width: 390 }, { scripts, full_page: true }), [[0, 2], [1]]);
  const clock = "2026-01-31T12:00:00Z";
  assert.deepEqual(planned({ clock }, { clock, full_page: true }, { clock, image_width: 320 }), [[0, 2], [1]]);
});
