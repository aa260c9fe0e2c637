/** All tests of steps.test.ts. */

import "./steps.test.ts";
