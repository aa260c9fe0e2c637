/** Pages larger than a browser can draw at once: complete and in order, or cropped with a warning. */

import { testDense, testFormat, testScaledDown, testTiles, testTransparency } from "./large-pages.ts";

testTiles(1.5);
testFormat("webp", 16_382, "the page is 60000 CSS pixels high and was cut off at 8191");
testTransparency();
testDense();
testScaledDown();
