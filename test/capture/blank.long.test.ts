/** All tests of blank.test.ts, and more sizes of blank screenshots. */

import "./blank.test.ts";
