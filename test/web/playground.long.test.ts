/** All tests of playground.test.ts. */

import "./playground.test.ts";
