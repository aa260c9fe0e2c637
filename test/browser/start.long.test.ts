/** All tests of start.test.ts. */

import "./start.test.ts";
