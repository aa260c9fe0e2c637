/** All tests of compare.test.ts. */

import "./compare.test.ts";
