/** All tests of start.test.ts, stopping the process at more moments and in more roles. */

import "./start.test.ts";
