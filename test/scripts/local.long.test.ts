/** All tests of local.test.ts. */

import "./local.test.ts";
