/** All tests of partial.test.ts. */

import "./partial.test.ts";
