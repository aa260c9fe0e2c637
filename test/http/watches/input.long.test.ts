/** All tests of input.test.ts. */

import "./input.test.ts";
