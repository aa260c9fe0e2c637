/** All tests of blocking.test.ts. */

import "./blocking.test.ts";
