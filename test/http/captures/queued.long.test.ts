/** All tests of queued.test.ts. */

import "./queued.test.ts";
