/** All tests of limits.test.ts. */

import "./limits.test.ts";
