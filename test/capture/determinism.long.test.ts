/** All tests of determinism.test.ts, with more captures, and many identical captures of an animated page with a video. */

import { before, test } from "node:test";
import "./determinism.test.ts";
import { type Captures, startCaptures } from "../support/captures.ts";
import { fileScope } from "../support/scope.ts";
import { animatedPage, assertIdentical, serveAnimated, video } from "./animated-page.ts";

const scope = fileScope();
let captures: Captures;
before(async () => {
  captures = await startCaptures(scope, { MAX_CONCURRENT_SCREENSHOTS: "8" });
  serveAnimated(captures.site);
});

// With eight concurrent captures on two cores and other load, an image sometimes shows the second frame of the video: rewinding it is
// given up after 4 s.
test("thirty captures of an animated page, four at a time, are identical", () =>
  assertIdentical(captures.capture, animatedPage(video), { count: 30, atOnce: 4 }));
