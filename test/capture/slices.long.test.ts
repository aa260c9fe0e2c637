/** All tests of slices.test.ts; `slice_height` and `slice_overlap` on pages of every height, in every window size and format. */

import "./slices.test.ts";
import { fileScope } from "../support/scope.ts";
import { startSlicing, testFit, testHeights, testLines, testOverlaps, testScale } from "./slicing.ts";

const slicing = await startSlicing(fileScope());

testHeights(slicing, [
  [300, 200],
  [900, 1000],
  [2_500, 333],
  [6_000, 1000],
  [20_000, 1568],
  [60_000, 1150],
]);

testOverlaps(slicing, [1, 60, 150]);

testLines(slicing, [
  [1280, 1, 800],
  [390, 2, 900],
  [768, 3, 1500],
  [1280, 1, 250],
]);

for (const scale of [2, 3]) testScale(slicing, scale);

testFit(slicing, ["webp", "jpeg", "png", "avif"]);
