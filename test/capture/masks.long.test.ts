/** All tests of masks.test.ts, and each way to draw masked text alone. */

import "./masks.test.ts";
