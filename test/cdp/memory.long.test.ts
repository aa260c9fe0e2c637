/** All tests of memory.test.ts. */

import "./memory.test.ts";
