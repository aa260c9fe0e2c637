/** All tests of compare-to.test.ts. */

import "./compare-to.test.ts";
