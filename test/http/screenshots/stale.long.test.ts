/** All tests of stale.test.ts. */

import "./stale.test.ts";
