/** Pages larger than a browser can draw at once: complete and in order, or cropped with a warning. */

import { testScaledDown, testTiles, testTransparency } from "./large-pages.ts";

testTiles(1.5);
testTransparency();
testScaledDown();
