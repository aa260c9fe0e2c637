/** All tests of targets.test.ts. */

import "./targets.test.ts";
