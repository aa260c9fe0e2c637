/** All tests of bounds.test.ts. */

import "./bounds.test.ts";
