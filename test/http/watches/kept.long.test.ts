/** All tests of kept.test.ts. */

import "./kept.test.ts";
