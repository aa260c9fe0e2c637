/** All tests of purchase.test.ts. */

import "./purchase.test.ts";
