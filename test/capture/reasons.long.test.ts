/** All tests of reasons.test.ts. */

import "./reasons.test.ts";
