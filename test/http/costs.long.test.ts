/** All tests of costs.test.ts. */

import "./costs.test.ts";
