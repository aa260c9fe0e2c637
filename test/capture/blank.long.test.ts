/** All tests of blank.test.ts, with more sizes of blank screenshots. */

import "./blank.test.ts";
