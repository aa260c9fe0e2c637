/** All tests of chart.test.ts. */

import "./chart.test.ts";
