/** All tests of isolation.test.ts. */

import "./isolation.test.ts";
