/** Pages larger than a browser can draw at once, in every format, at several scales. */

import { testDense, testFormat, testQuality, testScaledDown, testTiles, testTransparency } from "./large-pages.ts";

for (const scale of [1.5, 3]) testTiles(scale);
testFormat("png", 120_000, null);
testFormat("jpeg", 65_500, "the page is 60000 CSS pixels high and was cut off at 32750");
testFormat("webp", 16_382, "the page is 60000 CSS pixels high and was cut off at 8191");
testTransparency();
testDense();
testQuality();
testScaledDown();
