/** All tests of changes.test.ts. */

import "./changes.test.ts";
