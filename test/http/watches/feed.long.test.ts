/** All tests of feed.test.ts. */

import "./feed.test.ts";
