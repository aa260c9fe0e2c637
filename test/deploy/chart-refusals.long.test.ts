/** All tests of chart-refusals.test.ts. */

import "./chart-refusals.test.ts";
